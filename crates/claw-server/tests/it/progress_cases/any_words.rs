//! What agents say about their work in words that no list has foreseen.

/// What an agent says, and the update in it.
pub(crate) const SAID: &[(&str, &str)] = &[
    // Counts
    (
        "Five of the twelve… no wait, 5 of 12 dashboards are rebuilt; the Grafana ones come next.",
        "count 5/12 - running",
    ),
    (
        "Status: 31 of 48 shaders ported. The compute ones are going to hurt.",
        "count 31/48 - running",
    ),
    (
        "Seven of nine playbooks are now idempotent, I'm working on the last two.",
        "count 7/9 - running",
    ),
    (
        "The last of the 22 stored procedures is rewritten; nothing in the schema uses T-SQL any more.",
        "count 22/22 - finished",
    ),
    (
        "All twenty-two... sorry, all 22 stored procedures have been rewritten.",
        "count 22/22 - finished",
    ),
    (
        "Every one of the 60 thumbnails has been regenerated.",
        "count 60/60 - finished",
    ),
    (
        "I'm through 14 of the 30 chapters of the transcript.",
        "count 14/30 - running",
    ),
    (
        "14 down, 16 to go: 14 of 30 icons are in the new set.",
        "count 14/30 - running",
    ),
    (
        "So far I've only managed 3 of the 10 drivers, because each needs its own mock.",
        "count 3/10 - running",
    ),
    (
        "The scraper is working through the catalogue and has 800 of 2,400 products.",
        "count 800/2400 - running",
    ),
    (
        "Scraping is under way, 800 of 2,400 products so far.",
        "count 800/2400 - running",
    ),
    (
        "Scraping broke off at 800 of 2,400 products because the site banned our IP.",
        "count 800/2400 - failed",
    ),
    (
        "I had to abort the backfill after 12 of 40 partitions since the replica lagged behind by an hour.",
        "count 12/40 - failed",
    ),
    (
        "The backfill crashed: 12 of 40 partitions were written before the disk filled up.",
        "count 12/40 - failed",
    ),
    (
        "9 of 10 videos transcoded; the tenth is damaged and I skipped it. That's the end of the batch.",
        "count 9/10 - failed",
    ),
    (
        "Bislang 18 von 25 Skripten auf Python 3 gebracht.",
        "count 18/25 - running",
    ),
    (
        "18 von 25 Skripten laufen jetzt unter Python 3, der Rest folgt.",
        "count 18/25 - running",
    ),
    (
        "J'ai corrigé 4 des 7 régressions signalées, je passe à la cinquième.",
        "count 4/7 - running",
    ),
    ("Van 4 de 7 servicios migrados.", "count 4/7 - running"),
    ("Ho sistemato 4 delle 7 query lente.", "count 4/7 - running"),
    (
        "Quick status, since you asked: of the 120 message keys, 41 are translated to Polish. The plural forms take the most time.",
        "count 41/120 - running",
    ),
    (
        "- Lint config: done\n- Dependabot: done\n- Workflows: 6 of 17 pinned to a SHA\n\nI'll go on with the workflows after lunch, so to speak.",
        "count 6/17 - running",
    ),
    (
        "And that's all 17 workflows pinned to a SHA. 🎉",
        "count 17/17 - finished",
    ),
    (
        "Still crunching: tile 230 of 1,100. Each takes about two seconds.",
        "count 230/1100 - running",
    ),
    (
        "I've merged the five feature branches, 5 of 5, and resolved the conflicts in `package-lock.json` by regenerating it.",
        "count 5/5 - finished",
    ),
    (
        "Stopped after the third of six volumes: `mdadm` reports a degraded array, and I won't touch anything while it rebuilds.",
        "count 3/6 - failed",
    ),
    (
        "Ninety of the hundred… I mean 90 of 100 PDFs were signed. The other ten failed because the certificate expired at midnight.",
        "count 90/100 - failed",
    ),
    (
        "12/19 controllers have request validation now. Remaining: everything under `admin/`.",
        "count 12/19 - running",
    ),
    (
        "Two of five tables backfilled, `orders` is running.",
        "count 2/5 - running",
    ),
    (
        "Progress report: I have labelled 33 of 50 samples; 4 of them were ambiguous.",
        "count 33/50 - running",
    ),
    ("Okay, `parser.rs` is clean. (8/21)", "count 8/21 - running"),
    (
        "Moving to `lexer.rs`, that's number 8 of 21.",
        "count 8/21 - running",
    ),
    (
        "Import fertig: 1.500 von 1.500 Kunden übernommen, keine Fehler.",
        "count 1500/1500 - finished",
    ),
    (
        "Ich habe mir 7 der 30 Module angesehen. Bisher fällt nur das Logging auf.",
        "count 7/30 - running",
    ),
    (
        "Bisher wurden 7 von 30 Vorlagen auf das neue Layout umgestellt.",
        "count 7/30 - running",
    ),
    (
        "10 vues sur 24 sont migrées ; je m'attaque maintenant aux formulaires.",
        "count 10/24 - running",
    ),
    (
        "Ya están convertidos 9 de los 15 informes.",
        "count 9/15 - running",
    ),
    (
        "Ho finito 9 schermate su 15, ora passo alle impostazioni.",
        "count 9/15 - running",
    ),
    (
        "Feitos 9 de 15 componentes; o próximo é o calendário.",
        "count 9/15 - running",
    ),
    (
        "Готово 9 из 15 страниц, перехожу к следующей.",
        "count 9/15 - running",
    ),
    (
        "A third of the way: I've pulled 64 of the 200 tickets into the CSV, and the API hasn't throttled me so far.",
        "count 64/200 - running",
    ),
    (
        "I replaced the base image in all 11 Dockerfiles; nothing else changed.",
        "count 11/11 - finished",
    ),
    (
        "Four of six dialogs now close on Escape. The date picker and the colour picker trap the key themselves, I'm on those.",
        "count 4/6 - running",
    ),
    ("It's at clip 350 of 900.", "count 350/900 - running"),
    (
        "26 of 28 endpoints answer with the new error format; I still have to touch `/export` and `/import`.",
        "count 26/28 - running",
    ),
    (
        "I've ported five of the eight Perl scripts to Python and deleted the originals.",
        "count 5/8 - running",
    ),
    (
        "Five Perl scripts out of eight are ported.",
        "count 5/8 - running",
    ),
    (
        "Ich übersetze weiter: 19 von 60 Hilfetexten liegen jetzt auf Polnisch vor.",
        "count 19/60 - running",
    ),
    (
        "Alle 60 Hilfetexte sind übersetzt und eingecheckt.",
        "count 60/60 - finished",
    ),
    (
        "Bei 300 von 1.000 Bildern ist die Konvertierung abgestürzt, vermutlich ein defektes TIFF.",
        "count 300/1000 - failed",
    ),
    (
        "Les 14 contrôleurs ont tous été migrés vers Symfony 7.",
        "count 14/14 - finished",
    ),
    ("J'en ai migré 6 sur 14.", "count 6/14 - running"),
    (
        "Listo: los 45 ficheros ya usan la nueva cabecera, 45 de 45.",
        "count 45/45 - finished",
    ),
    ("Van revisados 20 de 80 casos.", "count 20/80 - running"),
    ("Finora ho tradotto 8 pagine su 12.", "count 8/12 - running"),
    ("已经迁移了 9 个服务中的 3 个。", "count 3/9 - running"),
    (
        "Labels: 128 of 512 images annotated. Taking a short look at the hard negatives before I go on.",
        "count 128/512 - running",
    ),
    (
        "Just finished `cart.vue`, which makes it 9 of 16 components.",
        "count 9/16 - running",
    ),
    (
        "Went through 40 of the 55 review comments. 31 are fixed, 9 I'd like to discuss.",
        "count 40/55 - running",
    ),
    (
        "Two of the seven uploads succeeded, then S3 started to answer with SlowDown and I gave up.",
        "count 2/7 - failed",
    ),
    (
        "First hundred done (100 of 400). No anomalies.",
        "count 100/400 - running",
    ),
    (
        "All 75 invoices have been generated; 3 of them failed the XSD validation.",
        "count 75/75 - failed",
    ),
    (
        "Exported 12 of 13 boards. The last one failed: it's larger than the 5 MB limit of the API, so I left it out and closed the ticket.",
        "count 12/13 - failed",
    ),
    (
        "Six of ten crates compile with edition 2024 now; four to go.",
        "count 6/10 - running",
    ),
    (
        "500 Datensätze von 2.000 sind durch.",
        "count 500/2000 - running",
    ),
    (
        "Damit sind alle 31 Stored Procedures portiert.",
        "count 31/31 - finished",
    ),
    (
        "5 sur 9 : `facture.twig` est converti.",
        "step 5/9 - running",
    ),
    ("Tre file su quattro sono pronti.", "count 3/4 - running"),
    (
        "Heads-up: the OCR is slower than I thought. 23 of 70 scans are in, and we're 40 minutes into it.",
        "count 23/70 - running",
    ),
    (
        "Pushed all 10 charts to the registry.",
        "count 10/10 - finished",
    ),
    (
        "Pushed 4 of the 10 charts to the registry, waiting for the scanner before I push more.",
        "count 4/10 - running",
    ),
    (
        "I've made it through 6 of the 18 RFCs.",
        "count 6/18 - running",
    ),
    (
        "Renamed everything: 90 of 90 symbols. The compiler agrees.",
        "count 90/90 - finished",
    ),
    (
        "Seeding is going fine. 31 of 64 tenants have data now.",
        "count 31/64 - running",
    ),
    (
        "Seeding failed at tenant 31 of 64 with a unique constraint violation.",
        "count 31/64 - failed",
    ),
    (
        "Both regions are done, and so is the third: 3 of 3.",
        "count 3/3 - finished",
    ),
    (
        "Noch fünf: 15 von 20 Formularen sind umgebaut.",
        "count 15/20 - running",
    ),
    (
        "Fertig, alle 120 Bilder sind verkleinert.",
        "count 120/120 - finished",
    ),
    (
        "Je continue la relecture : 8 chapitres sur 30 relus.",
        "count 8/30 - running",
    ),
    ("Llevo 14 de 25 pantallas.", "count 14/25 - running"),
    (
        "I've migrated 12 of the 47 test helpers to pytest fixtures. The remaining ones are mostly straightforward, but `db_helpers.py` has some global state I need to untangle first.",
        "count 12/47 - running",
    ),
    (
        "All 47 test helpers have been migrated to pytest fixtures, and the old module is gone.",
        "count 47/47 - finished",
    ),
    (
        "Three of the five CVEs are patched. For the other two there is no upstream fix yet, so I'm backporting.",
        "count 3/5 - running",
    ),
    (
        "The crawler has fetched 200 of 850 pages so far; I'll keep an eye on the rate limit.",
        "count 200/850 - running",
    ),
    (
        "The crawler is done: 850 of 850 pages fetched.",
        "count 850/850 - finished",
    ),
    (
        "Updated all 6 workflow files to use Node 22.",
        "count 6/6 - finished",
    ),
    (
        "Batch job status: 25/100 records processed, 0 errors.",
        "count 25/100 - running",
    ),
    (
        "One of the three services is deployed. Moving on to the second.",
        "count 1/3 - running",
    ),
    (
        "0 of 12 files converted so far, I'm still setting up the tool.",
        "count 0/12 - running",
    ),
    (
        "Half the fleet (6 of 12) is upgraded, the rest follows in the next batch.",
        "count 6/12 - running",
    ),
    (
        "I moved 2 of the 7 helpers to `lib/` so far.",
        "count 2/7 - running",
    ),
    (
        "Compared 14 of 90 packages so far.",
        "count 14/90 - running",
    ),
    ("All 40 handlers are rewritten.", "count 40/40 - finished"),
    ("All 20 rows have been fixed.", "count 20/20 - finished"),
    (
        "The Sass-to-CSS migration is moving along nicely: I've done 37 of 81 partials, including all the mixins.",
        "count 37/81 - running",
    ),
    (
        "No Sass left in the repo: 81 of 81 partials are plain CSS now.",
        "count 81/81 - finished",
    ),
    (
        "Of the 13 endpoints you listed I have secured 5 so far, `/admin/*` first.",
        "count 5/13 - running",
    ),
    (
        "All 13 endpoints were tried; 2 of them failed with a 500, see the table.",
        "count 13/13 - failed",
    ),
    (
        "240 of 960 chunks embedded. I batch them by 64 to stay under the limit.",
        "count 240/960 - running",
    ),
    (
        "After 7 of 20 screenshots the emulator crashed, and I couldn't get it back up.",
        "count 7/20 - failed",
    ),
    (
        "Done with the fourth of four namespaces. All quotas are in place.",
        "count 4/4 - finished",
    ),
    (
        "Ich bin jetzt bei Tabelle 9 von 26.",
        "count 9/26 - running",
    ),
    (
        "Alle 26 Tabellen haben nun einen Primärschlüssel.",
        "count 26/26 - finished",
    ),
    (
        "11 des 40 écrans ont été retouchés, je continue demain matin.",
        "count 11/40 - running",
    ),
    (
        "Me faltan tres: 6 de 9 funciones ya están tipadas.",
        "count 6/9 - running",
    ),
    ("7 of 9 images are compressed now.", "count 7/9 - running"),
    (
        "Five of the twenty tables, i.e. 5 of 20, are migrated by now.",
        "count 5/20 - running",
    ),
    ("I've updated all 30 modules.", "count 30/30 - finished"),
    (
        "The script has processed 300 of 900 rows.",
        "count 300/900 - running",
    ),
    // Shares
    ("We're 40 % in.", "percent - 40 running"),
    (
        "The fine-tuning run is 40 % through its second epoch.",
        "percent - 40 running",
    ),
    (
        "Rebuilding the search index: currently 64 %.",
        "percent - 64 running",
    ),
    (
        "Index rebuild currently stands at 64%, no errors.",
        "percent - 64 running",
    ),
    (
        "About 64 % of the dump has been restored by now.",
        "percent - 64 running",
    ),
    ("The upload died at 99 %, of course.", "percent - 99 failed"),
    (
        "The sync has reached 100 %, both sides are identical.",
        "percent - 100 finished",
    ),
    (
        "Le téléchargement du modèle en est à 55 %.",
        "percent - 55 running",
    ),
    (
        "La copia va al 55 %, faltan unos diez minutos.",
        "percent - 55 running",
    ),
    (
        "Ich bin mit der Durchsicht etwa zu 20 % fertig.",
        "percent - 20 running",
    ),
    (
        "Encoding is 82% done, the last scenes are the slow ones.",
        "percent - 82 running",
    ),
    (
        "12% of the corpus is tokenized so far.",
        "percent - 12 running",
    ),
    (
        "I'm at 47 % of the migration. Nothing unexpected up to now.",
        "percent - 47 running",
    ),
    (
        "At 47 % the copy stopped with an I/O error. I won't retry before we have looked at the disk.",
        "percent - 47 failed",
    ),
    (
        "100 % of the rows are copied, the replica is in sync.",
        "percent - 100 finished",
    ),
    (
        "Training: 33 %, loss is still going down.",
        "percent - 33 running",
    ),
    (
        "Wir sind bei 70 % der Konvertierung.",
        "percent - 70 running",
    ),
    (
        "La restauration atteint 70 %, tout va bien.",
        "percent - 70 running",
    ),
    (
        "Three quarters (75 %) of the repository is reformatted.",
        "percent - 75 running",
    ),
    (
        "pg_dump: about 58% done, 40 minutes to go.",
        "percent - 58 running",
    ),
    (
        "Nearly there, the thumbnails are 90 % rendered.",
        "percent - 90 running",
    ),
    (
        "The restore aborted at 15 % (wrong WAL timeline).",
        "percent - 15 failed",
    ),
    (
        "Der Abgleich der Adressen steht bei 35 Prozent.",
        "percent - 35 running",
    ),
    ("Reindexing is complete: 100 %.", "percent - 100 finished"),
    (
        "22 % of the tiles have been rendered.",
        "percent - 22 running",
    ),
    ("Compaction: 80 % done.", "percent - 80 running"),
    (
        "I've barely started, maybe 5 % of the code base is annotated so far.",
        "percent - 5 running",
    ),
    (
        "Backfill progress is at 61 percent.",
        "percent - 61 running",
    ),
    (
        "We're halfway through the re-encode (50 %).",
        "percent - 50 running",
    ),
    ("Cloning the monorepo: 68 %.", "percent - 68 running"),
    (
        "The full scan has only reached 3 % so far. I'll narrow it down.",
        "percent - 3 running",
    ),
    (
        "The deploy got stuck at 87 % and I cancelled it.",
        "percent - 87 failed",
    ),
    (
        "Indexing is at roughly 30%, so I'll use the time to review the config.",
        "percent - 30 running",
    ),
    ("Download: 95% (almost there).", "percent - 95 running"),
    (
        "I'm about 60% done with the refactor.",
        "percent - 60 running",
    ),
    ("Sync completed at 100%.", "percent - 100 finished"),
    ("The copy is at 72 %.", "percent - 72 running"),
    (
        "So far 44 % of the blobs have been copied to the new bucket.",
        "percent - 44 running",
    ),
    ("Two thirds of the way there: 66 %.", "percent - 66 running"),
    (
        "The snapshot upload was interrupted at 92 %.",
        "percent - 92 failed",
    ),
    ("80 % of the migration is done.", "percent - 80 running"),
    // Steps
    (
        "Done with the schema, so that's 2 of 4 steps. Next up: the API.",
        "step 2/4 - running",
    ),
    (
        "We've finished the second of the four stages.",
        "step 2/4 - running",
    ),
    (
        "Step 3 of 5 ⏳ waiting for the certificate.",
        "step 3/5 - running",
    ),
    (
        "Now onto step 3/5 — wiring up the webhooks.",
        "step 3/5 - running",
    ),
    (
        "And with that, step 5 of 5 is complete.",
        "step 5/5 - finished",
    ),
    (
        "Last step (4/4): publishing the docs.",
        "step 4/4 - running",
    ),
    (
        "Beginning with phase 1 of 3, the inventory.",
        "step 1/3 - running",
    ),
    (
        "Fase 3 de 8: estoy moviendo los controladores.",
        "step 3/8 - running",
    ),
    ("Teil 2 von 2 ist erledigt.", "step 2/2 - finished"),
    (
        "Milestone 4 of 10 reached: the editor opens files.",
        "step 4/10 - running",
    ),
    (
        "OK, step 1 is in. For step 2 of 5 I'm extracting the mailer.",
        "step 2/5 - running",
    ),
    (
        "Pass 3 of 3 has started; this one only checks the links.",
        "step 3/3 - running",
    ),
    (
        "Round 3 of 3 is through, nothing new came up.",
        "step 3/3 - finished",
    ),
    (
        "Phase 2 of 3 didn't go through: the canary returned 500s, so I reverted it and stopped.",
        "step 2/3 - failed",
    ),
    (
        "Ich stecke gerade in Schritt 6 von 12, dem Umbau der Rechteprüfung.",
        "step 6/12 - running",
    ),
    (
        "So, on to the third of the seven items on your list: the retry logic.",
        "count 3/7 - running",
    ),
    (
        "I've completed step 2 of 5 and start with the third one now.",
        "step 2/5 - running",
    ),
    (
        "Final step (7 of 7) done — the DNS entry points to the new cluster.",
        "step 7/7 - finished",
    ),
    (
        "Step 4 of 5 broke: `terraform apply` wants to destroy the database. I stop here and leave the decision to you.",
        "step 4/5 - failed",
    ),
    ("Phase 2/3 läuft seit zehn Minuten.", "step 2/3 - running"),
    (
        "First of six refactorings is in: `OrderService` no longer talks to the database.",
        "count 1/6 - running",
    ),
    ("Etapa 3 de 4 en marcha.", "step 3/4 - running"),
    (
        "### Step 2 of 9: Extract the domain events\n\nThe aggregate publishes them directly at the moment.",
        "step 2/9 - running",
    ),
    (
        "Steps 1 to 4 are done, I'm at 5 of 9.",
        "count 5/9 - running",
    ),
    (
        "I'm halfway, step 3 of 6 was the biggest one.",
        "step 3/6 - running",
    ),
    ("Step 6/6 ✅ All done!", "step 6/6 - finished"),
    (
        "We're stuck at step 4 of 8. The vendor's licence server is down, so I can't go on.",
        "step 4/8 - failed",
    ),
    (
        "That was part one. Part 2 of 4: the event bus.",
        "step 2/4 - running",
    ),
    (
        "Five of the six steps are done; only the announcement is missing.",
        "step 5/6 - running",
    ),
    (
        "3/3 done: the runner is registered.",
        "count 3/3 - finished",
    ),
    (
        "I'm now in the middle of phase 2 of 3.",
        "step 2/3 - running",
    ),
    (
        "Step 2/5 complete. Now moving to step 3.",
        "step 2/5 - running",
    ),
    (
        "Let's start with step 1 of 4: creating the schema.",
        "step 1/4 - running",
    ),
    (
        "**Phase 3 of 4**: Updating the API layer\n\nI'm replacing the old handlers one by one.",
        "step 3/4 - running",
    ),
    ("Step 4 of 4: documentation. Done ✅", "step 4/4 - finished"),
    ("Going on with step 3 of 5.", "step 3/5 - running"),
    (
        "Alright, second of six: the auth middleware.",
        "step 2/6 - running",
    ),
    (
        "The sixth of the six steps is done. That concludes the upgrade.",
        "step 6/6 - finished",
    ),
    (
        "Working on step 3 of 9 (splitting the monolith's config).",
        "step 3/9 - running",
    ),
    (
        "Step 1 of 2 failed twice, so I'm stopping before step 2.",
        "step 1/2 - failed",
    ),
    ("We're in phase 3 of 5.", "step 3/5 - running"),
    // Lists
    (
        "Where we are:\n\n- ✅ Parser\n- ✅ Type checker\n- 🔄 Code generator\n- ⬜ Linker\n\nThe generator emits wrong offsets for nested structs.",
        "checklist 2/4 - running",
    ),
    (
        "My plan, first item done:\n\n1. [x] Reproduce\n2. [ ] Bisect\n3. [ ] Fix",
        "checklist 1/3 - running",
    ),
    (
        "| Task | Status |\n|---|---|\n| Dump | done |\n| Restore | done |\n| Compare | done |\n\nAll three went without a hitch.",
        "checklist 3/3 - finished",
    ),
    (
        "Today's list:\n\n- [x] Fix flaky login test\n- [ ] Bump Node\n- [ ] Rotate the deploy key\n- [ ] Write the post-mortem\n\nStarting with Node.",
        "checklist 1/4 - running",
    ),
    (
        "| Item | Done |\n|---|---|\n| Upgrade Rails | yes ✅ |\n| Upgrade Sidekiq | ✅ |\n| Remove `protected_attributes` | ⬜ |",
        "checklist 2/3 - running",
    ),
    (
        "- [x] Threat model\n- [x] CSP header\n- [x] Rate limit\n- [x] Audit log\n- [ ] Pen test\n- [ ] Sign-off",
        "checklist 4/6 - running",
    ),
    (
        "**To do**\n1. ~~Collect the logs~~ ✅\n2. ~~Find the request id~~ ✅\n3. Write the query ⏳\n4. Report ⬜",
        "checklist 2/4 - running",
    ),
    (
        "Almost there:\n\n* ☑ Certificates\n* ☑ DNS\n* ☑ Load balancer\n* ☐ Firewall rule (needs your approval)",
        "checklist 3/4 - running",
    ),
    (
        "Here's my progress:\n- [x] Set up the project\n- [x] Create models\n- [ ] Add views\n- [ ] Write tests",
        "checklist 2/4 - running",
    ),
    (
        "Tasks:\n✅ Database schema\n🔄 API endpoints\n⬜ Frontend",
        "checklist 1/3 - running",
    ),
    (
        "What's done and what's not:\n\n[x] Linux build\n[x] macOS build\n[x] Windows build\n[ ] Signing",
        "checklist 3/4 - running",
    ),
    (
        "- [x] revert the commit\n- [x] tell #ops",
        "checklist 2/2 - finished",
    ),
    // Test runs
    ("The suite: 130 passed.", "test_run 130/130 - finished"),
    ("130 tests, all green.", "test_run 130/130 - finished"),
    ("130/130 green ✅", "test_run 130/130 - finished"),
    (
        "The suite ran through: 130 tests, 2 of them failing.",
        "test_run 130/130 - failed",
    ),
    (
        "Two of the 130 tests are red, both in the billing module.",
        "test_run 130/130 - failed",
    ),
    (
        "I reran everything after the merge and all 130 specs are passing.",
        "test_run 130/130 - finished",
    ),
    (
        "The suite is at test 45 of 130.",
        "test_run 45/130 - running",
    ),
    (
        "45 of 130 tests have finished so far, no failures.",
        "test_run 45/130 - running",
    ),
    ("The e2e suite failed.", "test_run - - failed"),
    (
        "One of the 8 tests I wrote fails: the timeout isn't honoured.",
        "test_run 8/8 - failed",
    ),
    (
        "Kicking off the full suite now, 300 tests.",
        "test_run 0/300 - running",
    ),
    (
        "The run hung after 120 of 300 tests and I killed it.",
        "test_run 120/300 - failed",
    ),
    ("Alle 64 Tests laufen durch.", "test_run 64/64 - finished"),
    (
        "Von den 64 Tests schlagen 3 fehl.",
        "test_run 64/64 - failed",
    ),
    (
        "I ran all 212 tests: 209 pass, 3 fail. Two of the three were red before my change.",
        "test_run 212/212 - failed",
    ),
    (
        "Full run after the rebase: 212 of 212 green.",
        "test_run 212/212 - finished",
    ),
    (
        "There are 3 failures in 212 tests, all in the date picker.",
        "test_run 212/212 - failed",
    ),
    (
        "The tests pass now, that was the missing await.",
        "test_run - - finished",
    ),
    ("Hm, the unit tests are failing.", "test_run - - failed"),
    (
        "The suite is running, 70 of 212 so far and no red ones.",
        "test_run 70/212 - running",
    ),
    (
        "`cargo nextest` is happy: 212 tests run, 212 passed.",
        "test_run 212/212 - finished",
    ),
    (
        "pytest: 18 passed in 2.31 s. I'll open the PR.",
        "test_run 18/18 - finished",
    ),
    (
        "Now running the 18 snapshot tests.",
        "test_run 0/18 - running",
    ),
    (
        "The run was cancelled at 15 of 18 tests because the container ran out of memory.",
        "test_run 15/18 - failed",
    ),
    (
        "Everything's green, 1,204 tests in 38 seconds.",
        "test_run 1204/1204 - finished",
    ),
    (
        "1,203 of 1,204 pass. The odd one out is `test_dst_switch`.",
        "test_run 1204/1204 - failed",
    ),
    (
        "I ran the 40 contract tests against staging and 6 came back red.",
        "test_run 40/40 - failed",
    ),
    (
        "Good: 57 tests, zero failures.",
        "test_run 57/57 - finished",
    ),
    (
        "Result of the run: 55 ok, 2 failed.",
        "test_run 57/57 - failed",
    ),
    ("The integration tests timed out.", "test_run - - failed"),
    ("The test suite is still running.", "test_run - - running"),
    ("The nine new tests pass.", "test_run 9/9 - finished"),
    ("Test run: 12/60 so far.", "test_run 12/60 - running"),
    (
        "Starting the run of all 1,204 tests.",
        "test_run 0/1204 - running",
    ),
    (
        "33 passed, 0 failed — merging.",
        "test_run 33/33 - finished",
    ),
    ("Les 7 tests passent au vert.", "test_run 7/7 - finished"),
    ("De los 22 tests, 2 fallan.", "test_run 22/22 - failed"),
    ("One red test out of 88.", "test_run 88/88 - failed"),
    (
        "Test results: 88 passed, none failed.",
        "test_run 88/88 - finished",
    ),
    (
        "Of 88 tests, 85 pass and 3 fail.",
        "test_run 88/88 - failed",
    ),
    ("All green (88/88).", "test_run 88/88 - finished"),
    ("The suite is red: 5 of 88.", "test_run 88/88 - failed"),
    (
        "Tests are running… 30 of 88 done.",
        "test_run 30/88 - running",
    ),
    ("Tests are green again.", "test_run - - finished"),
    ("312 tests grün, 0 rot.", "test_run 312/312 - finished"),
    (
        "I'm now running the 24 browser tests in headless mode.",
        "test_run 0/24 - running",
    ),
    (
        "I added a regression test and ran the lot: 40 passed.",
        "test_run 40/40 - finished",
    ),
    (
        "All 41 tests are passing after the fix.",
        "test_run 41/41 - finished",
    ),
    (
        "After the fix, 40 of the 41 tests pass; the last one needs a newer Postgres.",
        "test_run 41/41 - failed",
    ),
    (
        "Unfortunately the test suite crashed.",
        "test_run - - failed",
    ),
    (
        "The whole test suite passes with the new compiler.",
        "test_run - - finished",
    ),
    (
        "I'm at test 10 of 41, the slow ones come first.",
        "test_run 10/41 - running",
    ),
    ("Test run over: 39 green, 2 red.", "test_run 41/41 - failed"),
    (
        "All 156 tests pass! The refactoring is complete.",
        "test_run 156/156 - finished",
    ),
    (
        "Tests: 154 passed, 2 failed (156 total).",
        "test_run 156/156 - failed",
    ),
    (
        "154/156 tests passing. The two failures are unrelated to my change.",
        "test_run 156/156 - failed",
    ),
    (
        "All tests are passing now. Let me commit this.",
        "test_run - - finished",
    ),
    (
        "The tests failed. Let me look at the output.",
        "test_run - - failed",
    ),
    (
        "The test suite completed successfully with 45 tests passed.",
        "test_run 45/45 - finished",
    ),
    (
        "Great, the suite is green — 45 tests, no failures.",
        "test_run 45/45 - finished",
    ),
    ("All 12 tests fail.", "test_run 12/12 - failed"),
    (
        "96 tests ran, 94 passed, 2 errored.",
        "test_run 96/96 - failed",
    ),
    (
        "Ran `pnpm test` once more: 350 of 350 passed.",
        "test_run 350/350 - finished",
    ),
    (
        "I get 348 passing and 2 failing tests.",
        "test_run 350/350 - failed",
    ),
    ("Currently at test 50 of 350.", "test_run 50/350 - running"),
    ("The tests are still failing.", "test_run - - failed"),
    ("The new tests pass.", "test_run - - finished"),
    (
        "All 12 of my new tests are green.",
        "test_run 12/12 - finished",
    ),
    (
        "7 failures out of 350 tests after the merge.",
        "test_run 350/350 - failed",
    ),
    ("3 of 12 tests fail now.", "test_run 12/12 - failed"),
    // Sub-agents
    (
        "I'm handing this to four agents, one per module.",
        "subagent -/4 - running",
    ),
    (
        "Four agents are now reading the modules in parallel.",
        "subagent -/4 - running",
    ),
    (
        "Three of the four agents are done, the last one is still reading `legacy/`.",
        "subagent 3/4 - running",
    ),
    ("All four agents reported back.", "subagent 4/4 - finished"),
    (
        "I've asked a sub-agent to collect the changelogs.",
        "subagent - - running",
    ),
    (
        "The agent that collected the changelogs is done.",
        "subagent - - finished",
    ),
    (
        "My research agent ran into a timeout and returned nothing.",
        "subagent - - failed",
    ),
    (
        "Ich lasse zwei Agenten parallel suchen.",
        "subagent -/2 - running",
    ),
    (
        "Einer der beiden Agenten ist fertig, der andere sucht noch.",
        "subagent 1/2 - running",
    ),
    (
        "Update from the agents: the one on the API and the one on the UI are done (2 of 3), the one on the database is still at it.",
        "subagent 2/3 - running",
    ),
    (
        "I've kicked off three sub-agents; I'll report when they're back.",
        "subagent -/3 - running",
    ),
    (
        "The sub-agent I sent to check the licences came back: everything is MIT or Apache.",
        "subagent - - finished",
    ),
    (
        "All 3 research agents are finished. Short summary below.",
        "subagent 3/3 - finished",
    ),
    (
        "The migration agent gave up after ten minutes without a result.",
        "subagent - - failed",
    ),
    (
        "Two reviewers are on it right now, both as sub-agents.",
        "subagent -/2 - running",
    ),
    (
        "The first of my four agents has returned.",
        "subagent 1/4 - running",
    ),
    (
        "First of the three sub-agents is back: the auth service is clean. Two more to come.",
        "subagent 1/3 - running",
    ),
    (
        "Sub-agent finished. It wrote 300 lines of notes into `notes/api.md`.",
        "subagent - - finished",
    ),
    (
        "I'm letting a sub-agent go through the vendor docs while I write the client.",
        "subagent - - running",
    ),
    ("Agent 5 of 5 has finished, too.", "subagent 5/5 - finished"),
    ("2/5 agents done.", "subagent 2/5 - running"),
    (
        "The agent responsible for the frontend died with an OOM.",
        "subagent - - failed",
    ),
    (
        "Deux sous-agents travaillent en parallèle sur les deux dépôts.",
        "subagent -/2 - running",
    ),
    (
        "Beide Unteragenten haben geliefert.",
        "subagent 2/2 - finished",
    ),
    (
        "Two agents have finished, two are still running (2 of 4).",
        "subagent 2/4 - running",
    ),
    (
        "Spinning up five agents now, one for each package.",
        "subagent -/5 - running",
    ),
    ("All three agents timed out.", "subagent 3/3 - failed"),
    (
        "My sub-agent for the SQL part just came back with a clean bill of health.",
        "subagent - - finished",
    ),
    (
        "A second agent is now checking the translations.",
        "subagent - - running",
    ),
    (
        "I delegated the three packages to three sub-agents.",
        "subagent -/3 - running",
    ),
    (
        "The four sub-agents are through.",
        "subagent 4/4 - finished",
    ),
    (
        "The code-review agent is done: two nits, no blockers.",
        "subagent - - finished",
    ),
    (
        "Both research agents came back empty-handed.",
        "subagent 2/2 - failed",
    ),
    (
        "I've handed the translation to a sub-agent and go on with the layout.",
        "subagent - - running",
    ),
    (
        "So far 3 of the 5 agents have answered.",
        "subagent 3/5 - running",
    ),
    (
        "I'll use three subagents to explore the codebase in parallel.",
        "subagent -/3 - running",
    ),
    (
        "The first of the three subagents has completed its analysis.",
        "subagent 1/3 - running",
    ),
    (
        "The Explore agent has finished mapping the directory structure.",
        "subagent - - finished",
    ),
    (
        "2 of 3 subagents have completed; waiting on the last one.",
        "subagent 2/3 - running",
    ),
    (
        "The Plan agent encountered an error and could not complete.",
        "subagent - - failed",
    ),
    ("I let two agents work on it.", "subagent -/2 - running"),
    (
        "Dispatching four agents, one per quarter of the code base.",
        "subagent -/4 - running",
    ),
    (
        "Three agents are back, one is missing: 3 of 4.",
        "subagent 3/4 - running",
    ),
    (
        "The summarizer agent crashed halfway.",
        "subagent - - failed",
    ),
    (
        "That was the last agent; all four are done.",
        "subagent 4/4 - finished",
    ),
    (
        "The agent returned with a list of 14 suspicious calls.",
        "subagent - - finished",
    ),
    (
        "One of the three agents has finished.",
        "subagent 1/3 - running",
    ),
];

/// What an agent says without progress in it.
pub(crate) const SAID_NOTHING: &[&str] = &[
    "4 of the 7 slow queries come from the same view.",
    "We could do 4 of the 7 now and leave the rest for next sprint.",
    "Only 2 of 9 integrations support webhooks.",
    "The importer skips 3 of the 40 columns because they're empty in the sample.",
    "Your laptop has 12 of 16 GB in use.",
    "Roughly 70 % of the bundle is icons.",
    "In 7 of 10 runs it deadlocks.",
    "Marta finished 6 of the 9 tickets last sprint.",
    "The vendor has patched 5 of the 8 CVEs.",
    "The API lets you fetch 50 of 200 items per page.",
    "If 3 of the 5 checks fail, the gate closes.",
    "The old job died at 80 % on Tuesday, that's what the log says.",
    "Each of the 12 workers handles 1/12 of the keys.",
    "I'd estimate that 80 % of the work is in the parser.",
    "2 of the 6 flags are undocumented, and one is a duplicate.",
    "The second of the three joins is the expensive one.",
    "Your plan covers 3 of the 5 regions.",
    "The doc lists 12 steps; 4 of 12 are obsolete.",
    "The test covers 40 % of the branches.",
    "Once all 12 shards are migrated, we can drop the table.",
    "All 12 shards live on the same host.",
    "Both endpoints return 404.",
    "This took 3 of the 4 hours.",
    "I'd run all 300 tests before merging.",
    "Want me to continue with the other 18 of 25 scripts?",
    "The migration will touch 14 of 20 tables.",
    "We're at 98 % of the rate limit.",
    "The agents in this repo are configured in three files.",
    "3 of 4 CPU cores are busy.",
    "He merged 2 of the 3 PRs.",
    "The upstream suite has 14 of 900 tests disabled.",
    "I looked at the 24 slow queries: 9 of them do a full scan, 3 of the 24 lack an index on the foreign key.",
    "Right now, 3 of 8 GPUs are idle.",
    "You asked for 5 of the 20 columns, so that's what the export has.",
    "The release notes say that 4 of 11 issues were fixed in 2.3.",
    "I'd guess we're at 30 % of what the hardware can do.",
    "With two of the three caches disabled the numbers look different.",
    "The error budget is used up to 80 %.",
    "Half of the 40 endpoints are undocumented; 12 of 40 lack auth.",
    "A typical run gets to about 60 % before it slows down.",
    "The agent reads 3 of the 5 files, then it asks for permission. That's by design.",
    "Let me know when you are at step 3 of 5.",
    "For the record: in January we had converted 12 of 40.",
    "3 of 40 tests are marked as ignored.",
    "There were 5 of us in the meeting, 3 of 5 voted for Postgres.",
    "The slider stops at 80 %, and the tooltip says 8 of 10.",
    "I can split it into 3 PRs: (1/3) types, (2/3) server, (3/3) client. OK for you?",
    "The installer shows [2/4] for minutes on slow disks. That's normal.",
    "Its progress is stuck at 45 % for your colleague as well, according to the ticket.",
    "Of the 30 icons, 12 are never used.",
    "The diff touches 14 of the 60 templates.",
    "Two of the five requirements contradict each other.",
    "By my count 26 of 28 endpoints answer with HTML when they fail.",
    "Four of six dialogs trap the focus, which is a bug.",
    "Each of the five Perl scripts parses the log on its own; 3 of the 5 get the time zone wrong.",
    "19 of 60 help texts are outdated.",
    "I see 3 of 12 pods in CrashLoopBackOff.",
    "The budget allows for 20 of the 80 cases.",
    "It handles 95 % of inputs correctly.",
    "The battery of the scanner is at 15 %.",
    "The recall is at 92 %, the precision at 88 %.",
    "Your sprint board shows 8 of 12 stories done.",
    "Before, 12 of 60 tests were flaky.",
    "To be clear: I have not run the 40 contract tests.",
    "The tests need 3 of the 4 containers.",
    "Let's do 5 of the 8 scripts this week and the others next week.",
    "I propose we convert the first 5 of 8 scripts today.",
    "The last of the three parameters defaults to zero.",
    "First of all, 2 of the 3 URLs are wrong.",
    "Do you want all 11 Dockerfiles changed or only 3 of 11?",
    "A progress of 0/0 is shown as 100 %, which is wrong.",
    "The first agent in the chain plans, the second one writes. Three agents in total.",
    "An agent costs about 3 cents per call.",
    "In the screenshot the counter is at 7/7.",
    "Tom says he's through with 4 of 6.",
    "The build took 75 % less time.",
    "We support 3 out of 4 locales.",
    "If I read the dashboard correctly, the rollout is at 40 %.",
    "Last month, all 28 endpoints were green.",
    "All 28 endpoints are behind the proxy.",
    "There's a 1 in 3 chance that 2 of 3 replicas restart at once.",
    "Three of the four sub-agents in your config use the same model.",
    "The dashboard counts 31 of 90 stubs as covered.",
    "Of the 55 review comments, 31 are about naming.",
    "By default 10 of 100 requests are sampled.",
    "Seven of the nine maintainers are inactive.",
    "You have 2 of 3 approvals.",
    "The job is configured to stop after 3 of 5 failures.",
    "If it reaches 90 %, the alert fires.",
    "The first half (50 %) of the file is a header.",
    "We lost 4 of 9 nodes in the outage.",
    "I'd aim for 80 % coverage.",
    "Next, we should talk about 3 of the 7 findings.",
    "The plan: step 1 of 4 this week, the others later.",
    "In your screenshot, 3 of 5 dots are filled.",
    "2 of 3 runs ended with a timeout on the staging box last night.",
    "The tests in `legacy/` (40 of 88) don't assert anything.",
    "The script prints 3/10 and then nothing for a minute.",
    "Ratio of passing tests: 3 of 4, says the badge.",
    "Each test takes 3 of the 5 database connections.",
    "My suggestion: migrate 4 of the 9 queues first.",
    "There are 9 queues and 4 of 9 are empty.",
    "All 9 queues are durable.",
    "All nine of them share one exchange.",
    "18 RFCs are linked, 6 of the 18 are obsolete.",
    "The registry holds 4 of the 10 charts already, from an earlier release.",
    "Every second request fails, i.e. 50 %.",
    "40 passed the exam.",
    "With 3 of 5 votes the proposal passes.",
    "The compiler accepts 3 of the 4 forms.",
    "14 of 25 screens have no loading state.",
    "My change touches 4 of 25 screens.",
    "The docs mention \"phase 2 of 3\", but never phase 3.",
    "Is it OK if I convert 4 of 10 charts only?",
    "Some 30 % of our users are on mobile.",
    "You might want to run the 41 tests yourself.",
    "I'm going to need 3 of your 5 API keys.",
    "The timeout hits when 80 % of the upload is done.",
    "The nightly build ran 41 tests, 2 failed. Not related to us.",
    "Agents are cheap; three of them cost less than a coffee.",
    "Seeding takes 31 of the 64 seconds.",
    "Twelve of the 31 rules are disabled by default.",
    "The importer was written for 3 of the 5 formats.",
    "A 3/4 majority is required.",
    "The customer reports that the sync hangs at 99 %.",
    "I'll break this down into 4 steps. Step 1: schema. Step 2: models. Step 3: views. Step 4: tests.",
    "There are 47 test helpers; 12 of them use global state.",
    "The function is called in 3 of the 5 services.",
    "I found 12 of the 47 helpers to be unused.",
    "This reduces memory usage by 30%.",
    "3 of the 5 CVEs affect us directly.",
    "About 25 of 100 records have no email.",
    "Test coverage is now at 85%, up from 60%.",
    "We should probably split this into 3 PRs.",
    "You'll need to run all 156 tests locally.",
    "The config supports 2 of the 3 modes.",
    "Would you like me to migrate all 47 helpers, or just the 12 that use global state?",
    "The API returns at most 100 of the 850 results.",
    "Only 1 of the 3 services has health checks.",
    "The PR has been approved by 2 of 3 reviewers.",
    "2 of the 3 reviewers have approved; waiting for the third.",
    "CI is at 3/5 jobs green.",
    "I compared the two lock files: 14 of 90 packages differ.",
    "Looks like 3 of the 8 partitions were created by hand.",
    "After the upgrade, 12 of 30 plugins are incompatible.",
    "The generator created 14 of 20 files with CRLF endings.",
    "Your query returned 40 of 1,000 rows.",
    "The linter flagged 6 of 40 files.",
    "I suspect that 2 of the 3 mirrors are stale.",
    "Based on the profile, 3 of 10 calls hit the database.",
    "In this setup, 2 of 4 workers stay idle.",
    "Two out of three timeouts happen in Frankfurt.",
    "Our quota is at 72 %.",
    "The heap is at 93 % right before the crash.",
    "It converges after 30 % of the iterations.",
    "The second of the two patches applies only with fuzz.",
    "So the third of the four requests gets lost.",
    "The first of the three commits breaks the build, the other two are fine.",
    "Step 2 of 5 in your guide assumes Homebrew.",
    "I'd postpone step 4 of 5.",
    "Can I go on with step 3 of 5?",
    "For step 3 of 5 I need the password.",
    "Tests 4 to 9 of 12 share a fixture.",
    "12 tests fail on Windows only.",
    "The suite contains 212 tests, 40 of them slow.",
    "I wrote 5 tests, of which 2 are parametrized.",
    "Your last run had 3 failures in 212 tests.",
    "The tests would pass if the clock were frozen.",
    "The review agent is configured to read 3 of 5 folders.",
    "There's one agent per repository, so 4 agents.",
    "You could let two agents work on it.",
    "The agent framework spawns 3 workers by default.",
    "Three reviewers commented on the PR.",
    "Both options work.",
    "Both files are identical.",
    "All 12 hosts are reachable.",
    "All 5 variants compile, but only 2 are fast.",
    "All 20 rows have the same timestamp.",
    "All 40 handlers were written by the same person.",
    "All of the 9 alerts fired at 3 a.m.",
    "The table below shows 5 of 12 months.",
    "The cut is 3/4 inch wide.",
    "I moved 2 of the 7 helpers to `lib/`, the others are only used here.",
    "Dropped 3 of 14 columns since they're constant.",
    "The sample has 60 % women and 40 % men.",
    "90 % of the time goes into parsing.",
    "Version 3 of 4 of the draft is attached.",
    "On page 4 of 9 there's a typo.",
    "Task 4 of 9 on the board is assigned to Lena.",
    "The user has completed 3 of 5 onboarding steps.",
    "Customers have migrated 60 % of their data.",
    "The 3 of 5 rule applies here.",
    "The wizard's progress is 40 % when you leave step 2 of 5.",
    "Expect this to take 3 of the next 4 days.",
    "When 4 of 5 replicas have acknowledged, the write returns.",
    "The server has answered 980 of 1,000 requests within 50 ms.",
    "The exporter drops 2 of 16 labels.",
    "Two of three builds on main failed this week.",
    "I've seen this in 3 of 4 projects.",
    "I know 3 of the 5 maintainers.",
    "We've used 4 of 6 weeks.",
    "Half the fleet (6 of 12) runs the old kernel.",
    "37 of 81 partials import the same mixin.",
    "5 of the 13 endpoints are public.",
    "You want 4 of the 4 namespaces to share a quota, right?",
    "11 of 40 screens look broken in dark mode.",
    "The bucket holds 44 % of all blobs.",
    "We pay for 20 screens, and 7 of 20 are never opened.",
    "66 % is the threshold for the alert.",
    "The wizard has six steps, the second of six is optional.",
    "Step 3 of 9 would take the longest.",
    "I'd write 12 tests for this.",
    "The coverage of the 12 new tests is 80 %.",
    "The agent of our insurance answered 3 of 5 questions.",
    "The last of the four agents in the file is unused.",
    "2 of 96 tests are skipped on ARM.",
    "A good rule: 8 of 10 comments should explain why.",
    "The first three of ten migrations are from 2019.",
    "The queue is 92 % full.",
    "It's 3 of 5 stars on the marketplace.",
    "9 of the 26 tables have more than a million rows.",
    "Six of nine functions take a callback.",
    "He's on 3 of 4 teams.",
    "The second phase (2 of 3) is planned for May.",
    "Phase 2 of 3 will start once you approve.",
    "I haven't started step 2 of 6 yet.",
    "None of the 13 endpoints is secured.",
    "I will convert all 81 partials if you agree.",
    "The parser rejected 3 of 40 samples, all with a BOM.",
    "Our suite covers 12 of 14 error codes.",
    "I'd leave 2 of the 6 warnings as they are.",
    "We got 3 of 5 answers from support.",
    "It's in 4 of the 7 modules, so a codemod is worth it.",
    "The feature flag reached 50 % of tenants last Monday.",
    "The job was killed at 80 % on Friday, says the log.",
    "The script had processed 300 of 900 rows when you stopped it.",
    "One of the three agents you defined has no description.",
    "That's 2 of 3 problems explained by the proxy.",
    "The 12 tests in `auth.spec.ts` pass only with the mock.",
    "Without the fix 3 of 12 tests fail.",
    "Three of five checks in the PR are required.",
    "The board says 14/20 done.",
    "I noticed that 7 of 9 images are larger than 1 MB.",
    "The chart shows 60 % progress for the old importer.",
    "It would be enough to migrate 5 of 20 tables.",
    "80 % of the migration scripts are no-ops.",
    "All 20 tables have an index on `id`.",
    "The plan covers 3 of 5 phases.",
    "In total 12 of 30 modules depend on it.",
    "The compiler optimizes 3 of the 4 loops away.",
    "Remember that 2 of 5 brokers were down yesterday.",
    "4 of 6 maintainers have left since 2021.",
    "By design, 1 of 10 messages is sampled.",
    "We've got 3 of 4 green lights from security.",
    "Approach A needs 3 of 5 services changed.",
    "The reviewer found issues in 4 of 9 files.",
    "7 of 9 images could be smaller.",
];
