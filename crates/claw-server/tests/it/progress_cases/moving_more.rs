//! More outputs that are known by what moves: tools of many trades, and other languages.

/// What is counted has any name.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "[Mon May  6 10:00:00 2024]\nFinished job 7.\n3 of 12 steps (25%) done",
        "count 3/12 25 running",
    ),
    (
        "[Mon May  6 10:00:00 2024]\nFinished job 0.\n12 of 12 steps (100%) done\nComplete log: .snakemake/log/x.snakemake.log",
        "count 12/12 100 finished",
    ),
    (
        "Finished job 3.\n4 of 12 steps (33%) done\nError in rule align:\n    jobid: 8\nShutting down, this might take some time.\nExiting because a job execution failed. Look above for error message",
        "count 4/12 33 failed",
    ),
    (
        "Started analysis of a.fastq.gz\nApprox 40% complete for a.fastq.gz\nApprox 45% complete for a.fastq.gz",
        "percent - 45 running",
    ),
    (
        "Progress:  12.3%, ETA 03m12s,  812 MiB written, speed 120 MiB/s",
        "percent - 12.3 running",
    ),
    (
        "Checking for bad blocks (read-only test): 12.34% done, 1:02 elapsed. (0/0/0 errors)",
        "percent - 12.34 running",
    ),
    (
        "Allocating group tables: done\nWriting inode tables:  12/345",
        "count 12/345 - running",
    ),
    (
        "[hlsnative] Total fragments: 120\n[download] Destination: a.mp4\r[download]  10.0% of ~ 120.00MiB at 1.2MiB/s ETA 01:12 (frag 12/120)",
        "count 12/120 10 running",
    ),
    (
        "reading sources... [ 45%] guide/intro",
        "percent - 45 running",
    ),
    (
        "reading sources... [100%] guide/z\nlooking for now-outdated files... none found\nbuild succeeded.\n\nThe HTML pages are in _build/html.",
        "percent - 100 finished",
    ),
    (
        "writing output... [ 60%] api/x\nExtension error (sphinx.ext.autosummary):\nHandler failed",
        "percent - 60 failed",
    ),
    (
        "Download\t[=====                    ]  23%       120832 bytes",
        "percent - 23 running",
    ),
    (
        "Erase   \t[=========================] 100%       120832 bytes\nErase    done.\nDownload\t[=========================] 100%       120832 bytes\nDownload done.\nFile downloaded successfully",
        "percent - 100 finished",
    ),
    (
        "Download\t[==========               ]  41%        49152 bytes\ndfu-util: Error during download get_status",
        "percent - 41 failed",
    ),
    (
        "Precompiling project...\n  40/120 [=====>        ]",
        "count 40/120 - running",
    ),
    (
        "Waiting for bootloader...\nSending image... 12%\nSending image... 38%",
        "percent - 38 running",
    ),
    (
        "Compiling shader variant 2/5: lit\nCompiling shader variant 3/5: unlit",
        "count 3/5 - running",
    ),
    (
        "DisplayProgressbar: Building Player\n[ 55%] Compiling scripts",
        "percent - 55 running",
    ),
    (
        "[209/812] Compile Module.Engine.12.cpp\n[210/812] Compile Module.Engine.13.cpp",
        "count 210/812 - running",
    ),
    (
        "[210/812] Compile Module.Engine.13.cpp\n[211/812] Compile Module.Core.cpp\nC:\\x\\Core.cpp(12): error C2065: 'foo': undeclared identifier\nCompilation failed",
        "count 211/812 - failed",
    ),
    (
        "Phase 1/6: init\nPhase 2/6: fetch sources",
        "step 2/6 - running",
    ),
    (
        "epoch 33/100: 100%|████| 12/12 [00:01<00:00]",
        "step 33/100 - running",
    ),
    (
        "Ingesting:  20%|██        | 8/40 [00:02<00:08,  3.9doc/s]",
        "count 8/40 20 running",
    ),
    (
        "Ingesting:   0%|          | 0/40 [00:00<?, ?doc/s]",
        "count 0/40 0 running",
    ),
    (
        "Ingesting: 100%|██████████| 40/40 [00:10<00:00,  3.9doc/s]\nSaved index to idx/",
        "count 40/40 100 finished",
    ),
    (
        "Ingesting:  30%|███       | 12/40 [00:03<00:07,  3.9doc/s]\nopenai.RateLimitError: Error code: 429",
        "count 12/40 30 failed",
    ),
    (
        "▕█████████████████████▏  67% (~12 seconds remaining)",
        "percent - 67 running",
    ),
    (
        "100% ▕████████████████████████████████████████████████████████████▏ ",
        "percent - 100 finished",
    ),
    (
        "Deleting old snapshots: 7/7 removed.",
        "count 7/7 - finished",
    ),
    (
        "Deleting old snapshots: 6/7 removed.\nsnapshot snap-07: permission denied",
        "count 6/7 - failed",
    ),
    (
        "Uploading symbols 95%\nUploading symbols 97%\n",
        "percent - 97 running",
    ),
    (
        "[W 10:00:00] trial 54/200 pruned\n[I 10:00:01] trial 55/200 value 0.31",
        "step 55/200 - running",
    ),
    (
        "Importing users.csv (1/3)\nImporting orders.csv (2/3)\nImporting items.csv (3/3)\n\n12,044 rows imported.",
        "count 3/3 - finished",
    ),
    (
        "1/4 Checking prerequisites ✓\n2/4 Pulling images ✓\n3/4 Starting services ✓\n4/4 Waiting for health ✓",
        "count 4/4 - finished",
    ),
    (
        "1/4 Checking prerequisites ✓\n2/4 Pulling images …",
        "count 2/4 - running",
    ),
    (
        "Step 1/3: Run unit tests\nok\nStep 2/3: Package",
        "step 2/3 - running",
    ),
    (
        "Tile cache: 1239/3100 (39%)\nTile cache: 1240/3100 (40%)",
        "count 1240/3100 40 running",
    ),
    (
        "hour 11/48 written\nhour 12/48 written",
        "count 12/48 - running",
    ),
    (
        "hour 47/48 written\nhour 48/48 written\nSimulation ended normally.",
        "count 48/48 - finished",
    ),
    (
        "hour 29/48 written\nhour 30/48 written\nCFL violation at cell 1204, model stopped",
        "count 30/48 - failed",
    ),
    (
        "flashing board 5/6 ... ok\nflashing board 6/6 ... timeout\n5 ok, 1 timeout",
        "count 6/6 - failed",
    ),
    ("wave 1: 200/500 devices updated", "count 200/500 - running"),
    (
        "wave 1: 400/500 devices updated\nwave 1: 500/500 devices updated\nrollout finished",
        "count 500/500 - finished",
    ),
    (
        "Scraping 43/90 https://a.example/x\nScraping 44/90 https://a.example/y\n  429, waiting 10s",
        "count 44/90 - running",
    ),
    ("== 6/9 == north\n== 7/9 == south", "count 7/9 - running"),
    ("6/9 north done\n7/9 south done", "count 7/9 - running"),
    ("8/9 north done\n9/9 south done", "count 9/9 - finished"),
    (
        "north: done (6/9)\nsouth: done (7/9)",
        "count 7/9 - running",
    ),
    ("[6 of 9] north\n[7 of 9] south", "count 7/9 - running"),
    ("6 / 9: north\n7 / 9: south", "count 7/9 - running"),
    ("#6/9 north\n#7/9 south", "count 7/9 - running"),
    (
        "No. 6 of 9 (north)\nNo. 7 of 9 (south)",
        "count 7/9 - running",
    ),
    (
        "region=north n=6/9\nregion=south n=7/9",
        "count 7/9 - running",
    ),
    (
        "region west, 5 of 9, 9s\nregion north, 6 of 9, 12s\nregion south, 7 of 9, 11s",
        "count 7/9 - running",
    ),
    (
        "region west, 5 of 9, 9s\nregion north, 6 of 9, 12s\nregion south, 7 of 9, 11s\nregion east: assertion failed\nexit 1",
        "count 7/9 - failed",
    ),
    ("north  12%\nnorth  30%\nnorth  43%", "percent - 43 running"),
    (
        "north  60%\nnorth  80%\nnorth 100%\nall regions done",
        "percent - 100 finished",
    ),
    (
        "Bearbeite Datei 2 von 4\nBearbeite Datei 3 von 4",
        "count 3/4 - running",
    ),
    (
        "Bearbeite Datei 3 von 4\nBearbeite Datei 4 von 4\nAlles erledigt.",
        "count 4/4 - finished",
    ),
    (
        "Bearbeite Datei 2 von 4\nBearbeite Datei 3 von 4\nFEHLER: Datei gesperrt",
        "count 3/4 - failed",
    ),
    (
        "Traitement du fichier 2 sur 4\nTraitement du fichier 3 sur 4",
        "count 3/4 - running",
    ),
    (
        "Procesando archivo 2 de 4\nProcesando archivo 3 de 4\nError: permiso denegado",
        "count 3/4 - failed",
    ),
    ("Прогресс: 30% (120 из 400)", "count 120/400 30 running"),
    ("进度：30%（120/400）", "count 120/400 30 running"),
    ("進捗: 30%", "percent - 30 running"),
    (
        "10.000 von 50.000 Zeilen importiert\n12.500 von 50.000 Zeilen importiert",
        "count 12500/50000 - running",
    ),
    (
        "10'000 / 50'000 rows\n12'500 / 50'000 rows",
        "count 12500/50000 - running",
    ),
    (
        "10 000 lignes sur 50 000 importées\n12 500 lignes sur 50 000 importées",
        "count 12500/50000 - running",
    ),
    ("Export : 45,5 % effectués", "percent - 45.5 running"),
];

/// Numbers that look like it and are none.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "step 500, remaining wall clock time:   120 s\nstep 600, remaining wall clock time:   110 s",
    "Step Temp E_pair E_mol TotEng Press\n       0          1.44   -6.77   0  -4.6   -5.0\n      50          0.70   -5.70   0  -4.6    0.7",
    "JobID    JobName  Partition  State      ExitCode\n123      train    gpu        COMPLETED  0:0\n124      eval     gpu        RUNNING    0:0",
    "samtools flagstat a.bam\n1204000 + 0 in total (QC-passed reads + QC-failed reads)\n1180000 + 0 mapped (98.01% : N/A)\n1100000 + 0 properly paired (91.36% : N/A)",
    "                          Number of input reads |\t1204000\n                   Uniquely mapped reads % |\t91.20%\n        % of reads mapped to multiple loci |\t4.10%",
    "PLAY RECAP\nweb1 : ok=12 changed=3 unreachable=0 failed=0\nSummary for web1\nSucceeded: 12 (changed=3)\nFailed:     0",
    "Summary for minion1\n-------------\nSucceeded: 24 (changed=3)\nFailed:     1\n-------------\nTotal states run:     25",
    "tablespace usage\nUSERS  45%\nSYSTEM 81%",
    "Memory region         Used Size  Region Size  %age Used\n           FLASH:      120832 B       512 KB     23.05%\n             RAM:       12044 B        64 KB     18.38%",
    "text data bss dec hex filename\n12044 120 812 12976 32b0 a.elf\nProgram: 12044 bytes (36.8% Full)\nData: 932 bytes (45.5% Full)",
    "wrote 12 pages, 3/4 full",
    "mode: 3/4 duplex",
    "Signal: 70/70\nLink Quality=58/70  Signal level=-52 dBm",
    "quality 58/70\nquality 60/70\nquality 61/70",
    "signal strength 58/70\nsignal strength 60/70",
    "Temp: 45/90 C\nTemp: 47/90 C",
    "battery 45%\nbattery 46%\nbattery 47%",
    "volume 10%\nvolume 20%\nvolume 30%",
    "heap 10/64 MB\nheap 12/64 MB\nheap 20/64 MB",
    "conns 10/100\nconns 12/100\nconns 20/100",
    "players 3/16\nplayers 4/16",
    "clients: 3/16\nclients: 4/16",
    "GC: 10% pause\nGC: 12% pause",
    "regions: north 6/9, south 7/9",
    "north 6/9\nsouth 7/9",
    "2/3 cup\n1/3 cup",
    "grade 7/9\ngrade 8/9",
    "Chapter 6 of 9\nChapter 7 of 9",
    "Jan 6/9\nFeb 7/9",
    "1/9/2024 north\n2/9/2024 south",
    "rate 6/9\nrate 7/9",
    "Results: 7/9 correct",
    "7/9 answers correct",
    "You scored 7 out of 9",
    "7 of 9 respondents agreed",
    "Coverage 7/9 files",
    "top 7 of 9 shown",
    "Displaying items 6-7 of 9",
    "listed 7 of 9 (use --all)",
    "7/9 (78%) up, 2/9 (22%) down",
];
