//! The words that tell work from everything else that can be counted.
//!
//! Lists of words are dull, but they can be read, argued with and extended; that is why there is
//! no cleverer machinery here.

use crate::progress::parser::words::{Words, listed};

/// Things that differ from each other and are done one after the other.
static STEPS: Words = Words::new(
    "step phase stage part task epoch iteration iter round pass milestone job trial fold
    generation schritt teil aufgabe durchgang étape partie tâche paso fase etapa parte
    tarea passo passaggio tarefa stap deel taak шаг этап часть фаза задача krok etap
    zadanie steg trin adım aşama ステップ 手順 段階 フェーズ タスク 工程 步骤 步驟 阶段 階段 任务 第 단계 चरण الخطوة
    خطوة bước langkah vaihe βήμα крок",
);

/// The same in scripts that put no spaces between words.
static STEP_PARTS: Words =
    Words::new("ステップ 手順 段階 フェーズ タスク 工程 步骤 步驟 阶段 階段 任务 단계");

/// Things that are alike and are counted.
static THINGS: Words = Words::new(
    "file files module modules record records row rows object objects package packages
    crate crates item items entry entries document documents image images batch batches
    chunk chunks component components service services endpoint endpoints function
    functions class classes method methods migration migrations commit commits table
    tables handler handlers route routes folder folders directory directories repository
    repositories repo repos project projects script scripts layer layers shard shards
    block blocks frame frames message messages test tests spec specs snapshot snapshots
    target targets dependency dependencies translation translations string strings query
    queries request requests url urls asset assets user users event events key keys node
    nodes view views model models fixture fixtures warning warnings error errors lint
    lints bug bugs todo todos caller callers import imports line lines sample samples
    resource resources replica replicas page pages sources source unit units action
    actions checks check plugin plugins workspace workspaces usages sites header headers
    issue issues finding findings ticket tickets change changes photo photos picture pictures video
    videos clip clips track tracks song songs book books mail mails email emails invoice invoices
    order orders product products account accounts post posts article articles symbol symbols icon
    icons font fonts artifact artifacts archive archives volume volumes bucket buckets partition
    partitions segment segments backup backups database databases schema schemas index indexes
    host hosts container containers part parts pod pods tile tiles sample samples scene scenes
    passage passages address addresses screen screens screenshot screenshots mailbox mailboxes
    panorama panoramas cache caches report reports template templates job jobs vector vectors embedding embeddings datei dateien modul
    modulen datensatz datensätze datensätzen zeile zeilen pakete paketen fichier
    fichiers lignes paquets enregistrements archivo archivos ficheros filas registros
    paquetes righe pacchetti arquivo arquivos linhas pacotes bestand bestanden rijen
    файл файла файлов строк строки записей пакетов plików wierszy pakietów filer rader
    paket dosya satır",
);

/// Things that are counted, but not by the one who works: what is found, shown or asked.
static NOT_WORK: Words = Words::new(
    "slo slos strength temperature temp conns players peers rpm deflated stored sprint decrease increase saved savings dissimilarity percentage elapsed
    overhead page pages question questions option options chapter slide figure version versions
    score scored scores grade points rating ratio rate rates coverage cover covered
    users cpu cpus gpu memory mem swap heap ram disk storage battery load quota limit
    limits ratelimit used usage use remaining left free available utilization
    utilisation capacity hit hits miss misses cache cached similarity quality opacity
    width height discount probability confidence accuracy precision recall loss faster
    slower smaller larger speedup cheaper tokens token context budget seats votes
    attempt attempts retry retries retrying try tries ready restarts uptime idle packet
    packets threads connections slots results result level rank price tax vat interest
    growth humidity volume brightness zoom scale margin threshold allowed expected
    missing found matches matched vulnerabilities vulnerable problems sure certain
    likely people customers respondents students statements branches throughput latency
    percentile availability sla identical duplicate duplicates compression reduction
    ratios fragmentation utilized full healthy stars abdeckung nutzer nutzern benutzer
    fehler speicher auslastung rabatt seite frage kunden couverture utilisateurs erreurs
    mémoire disque remise taux clients cobertura usuarios usuários errores erros memoria
    memória disco descuento desconto página pregunta tasa taxa copertura utenti errori
    sconto pagina domanda dekking gebruikers fouten korting vraag покрытие пользователей
    ошибок памяти скидка страница вопрос pokrycie użytkowników kapsam kullanıcı
    kullanıcıların indirim",
);

/// The same in scripts that put no spaces between words.
static NOT_WORK_PARTS: Words = Words::new(
    "覆盖率 用户 错误率 内存 磁盘 折扣 页 问题 命中率 使用率 占用 カバレッジ ユーザー メモリ ディスク 割引 ページ 質問 커버리지 사용자 메모리 디스크
    할인 페이지 질문 사용률",
);

/// How the verbs of work begin, in English.
static WORK: Words = Words::new(
    "process migrat convert updat review check fix port mov copied copying upload
    download index import export install build built compil link transfer sync render
    encod decod scan crawl pars analyz analys fetch pull push writ rewrit rewrote
    generat renam refactor translat clean format lint verif validat complet finish handl
    resolv appl deploy publish bundl extract unpack train evaluat upgrad replac inspect
    examin audit annotat label split merg rebas patch execut prepar bump transform
    optimi minif compress hash sign seed backfill ingest tag sort search explor read
    done rework restor delet remov creat add edit adapt adjust modif chang switch rewir
    wir load cop collect gather dump archiv back regenerat reindex rebuil walk work go
    run stor insert sent send receiv test transcod trac map mapp profil simulat solv
    stream flash wip eras burn queu drain roll provision reconcil unzip zip delta count
    enumerat tokeniz embed classif tidy tidied document cover implement clos triag
    address visit resiz crop rescal scrap thumbnail vectoriz geocod purg stitch decrypt",
);

/// How the verbs of work begin in other languages that put spaces between words.
static WORK_ELSEWHERE: Words = Words::new(
    "concluí atualizei revisei converti migrei processei corrigi actualicé revisé convertí migré procesé
    corregí traduje traduzi verarbeit bearbeit geprüft prüfe überprüft übertrag hochgeladen hochlad herunterlad
    heruntergeladen lade lädt geladen kopier konvertier migrier aktualisier installier
    kompilier indexier indizier umgestellt umgewandelt gelesen geschrieben erledigt
    abgeschlossen fertig gesichert importier exportier entpack synchronisier
    durchgesehen durchsuch analysier überarbeitet angepasst erzeug generier übersetzt
    behoben korrigiert verschoben fortschritt umbenannt ersetzt schreibe lese baue
    gebaut repariert läuft traité traitement télécharg copi converti conversion migré
    migration indexé indexation install compil vérifi analys écrit terminé importé
    transféré généré corrigé relu avancement progression effectué mis mise envoi lecture
    décompress sauvegard procesad procesando descarg copiad copiando convertid
    convirtiendo migrad migrando indexad indexando instalad instalando compilad
    compilando actualizad actualizando revisad revisando analizad analizando completad
    terminad importad importando transferid subid subiendo generad generando corregid
    progreso leíd leyendo escrit ejecutando construyendo elaborat elaborazione scaric
    copiat convertit migrat indicizz aggiornat verificat analizzat completat importat
    trasferit caricament avanzamento caricat corrett processad processando baixa
    baixando atualizad atualizando concluíd enviad enviando progresso analisad
    analisando corrigid convertend instaland verwerk gedownload downloaden gekopieerd
    geconverteerd gemigreerd geïndexeerd geïnstalleerd bijgewerkt gecontroleerd gelezen
    geschreven voltooid klaar geüpload voortgang omgezet installeren обработ обрабат
    скачив скачан скача загруз загруж копир скопир конверт мигр индекс установ устанавл
    компил обнов провер прочит прочт готов заверш выполн импорт экспорт перенес перенос
    сборк исправ прогресс переписа przetworz przetwarz pobier pobran kopiow skopiow
    zainstal zaktualiz sprawdz gotow ukończ zakończ postęp instal indir işlen işle yükle
    kopyala dönüştür tamamla güncelle taşın derle kurul ilerleme bitti bearbet ladda
    laddar klar klart färdig uppdater hämta hämtar bearbejd lataa käsitel valmis đang đã
    tải mengunduh memproses selesai mengunggah tamam संसाधित डाउनलोड पूर्ण प्रगति تحميل
    تنزيل معالجة اكتمل завантаж оброб λήψη επεξεργασία ολοκληρ staženo stahov zpracov
    hotovo dokonč",
);

/// Work in scripts that put no spaces between words.
static WORK_PARTS: Words = Words::new(
    "处理 處理 下载 下載 上传 上傳 复制 转换 迁移 索引 安装 编译 更新 检查 读取 写入 完成 导入 导出 传输 生成 构建 同步 修复 正在 进度 進度 处理中
    审查 重构 修改 処理 ダウンロード アップロード コピー 変換 移行 インデックス インストール コンパイル 確認 読み込 書き 完了 進捗 取得 ビルド 同期 修正 直し
    済み 終わ レビュー 실행 처리 다운로드 업로드 복사 변환 이전 색인 설치 컴파일 업데이트 확인 완료 진행 빌드 동기화 수정 검토 읽 마이그레이션 끝냈 끝났 마쳤",
);

/// Words that look like verbs of work and are none.
static NOT_VERBS: Words = Words::new(
    "passed duplicated reclaimed playing standing rejected recovered listening allocated showing displaying estimated discharging serving
    viewing matching sharing costing saved wanted rated ranked scored priced sized limited remained
    exceeding averaging totaling totalling consumed consuming occupied measured scaling
    remaining missing pending existing setting settings string rating ranking warning
    failing following finding findings during nothing something anything everything
    thing king used allowed required failed expected received found need needed speed
    seed feed embed red bed skipped ignored affected related unused limited supported
    deprecated reused cached matched retrying attempting booked reserved occupied
    interested missed exceeded listed named based ring spring indeed hundred changed destroyed charging pricing billing meaning according including
    heading padding spacing opening shared ping working going being having coming using
    drop goal address addresses signal goods god google addition additional
    additionally background backend backwards runner portion changelog readme reader
    readers mapping testing tests test checks ports portal important movie running
    recommended suggested sampling keeping retaining ignoring excluding covering
    affecting holding owning needing wanting listing allowing denying expecting enabled
    disabled detected reported selected preferred increased decreased targeting",
);

/// Nouns that name work which has an end.
static WORK_NOUNS: Words = Words::new(
    "build upload download import export migration indexing index indexer backup sync
    conversion copy compile compilation training transfer install installation deploy
    deployment scan crawl render rendering encoding job task run rollout backfill
    refactoring refactor review analysis audit rewrite port clone checkout fetch push
    restore script rebuild reindex reindexing generation translation cleanup upgrade
    transcode processing work progress sweep search benchmark fuzzing linking seeding
    ingest ingestion pipeline bundle bundling release codemod replay batch dump vacuum
    compaction update rename simulation extraction downloads validation verification
    execution stage step phase umstellung übersetzung sicherung fortschritt
    herunterladen hochladen bau indexierung analyse umbau übertragung konvertierung
    aufbau prüfung lauf construction téléchargement sauvegarde avancement progression
    traitement copie restauration indexation l'indexation l'import l'installation l'analyse l'export
    l'envoi descarga subida migración copia compilación instalación progreso importación
    conversión indexación análisis exportación construcción importazione migrazione
    compilazione installazione avanzamento conversione indicizzazione l'importazione
    l'indicizzazione l'installazione importação migração compilação instalação progresso
    conversão indexação transferência сборка загрузка миграция установка импорт экспорт
    прогресс индексация копирование обработка проверка компиляция анализ bouw voortgang
    migratie installatie kopie indexering",
);

/// No spaces between its words.
fn runs_on(word: &str) -> bool {
    word.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'))
}

pub(super) fn is_step(word: &str) -> bool {
    let word = word.strip_prefix("l'").unwrap_or(word);
    STEPS.has(word) || (runs_on(word) && STEP_PARTS.inside(word))
}

/// Several steps, as in "all 7 steps".
pub(super) fn is_steps(word: &str) -> bool {
    is_step(word)
        || word.strip_suffix('s').is_some_and(is_step)
        || word.strip_suffix("es").is_some_and(is_step)
        || listed!(
            word,
            "schritte schritten teile aufgaben фаз шагов этапов passi stappen 步 个步骤 个任务"
        )
}

pub(super) fn is_thing(word: &str) -> bool {
    THINGS.has(word)
}

/// What is counted here is not work, whatever else the line says.
pub(super) fn is_not_work(word: &str) -> bool {
    word.split('-').any(|part| NOT_WORK.has(part)) || (runs_on(word) && NOT_WORK_PARTS.inside(word))
}

/// A verb of work in its past or its "-ing" form, or such a verb of another language.
pub(super) fn is_work_verb(word: &str) -> bool {
    if NOT_VERBS.has(word) {
        return false;
    }
    let formed = word.ends_with("ed") || word.ends_with("ing");
    // What can be done can be done again: "reformatted", "re-encoded".
    let again = word
        .strip_prefix("re")
        .map(|word| word.trim_start_matches('-'));
    (formed && (WORK.begin(word) || again.is_some_and(|word| WORK.begin(word))))
        || listed!(
            word,
            "done built rebuilt read written rewritten rewrote sent split complete gone
            ran through reviewed"
        )
        || WORK_ELSEWHERE.begin(word)
        || (runs_on(word) && WORK_PARTS.inside(word))
}

/// A word that may open a line which reports work: any "-ing" form and any past form that is not
/// known to mean something else.
pub(super) fn opens_work(word: &str) -> bool {
    if NOT_VERBS.has(word) {
        return word == "running" || word == "testing";
    }
    let long = word.len() >= 5 && word.is_ascii();
    is_work_verb(word) || (long && (word.ends_with("ing") || word.ends_with("ed")))
}

/// A noun that may open a line of a tool which reports work. Fewer than a speaker may use: most
/// of the others are also names of columns and fields.
pub(super) fn is_printed_noun(word: &str) -> bool {
    listed!(
        word,
        "progress upload download import export migration backup sync conversion transfer
        installation deployment rendering encoding processing restore training downloads rollout
        extraction fortschritt progression avancement progreso progresso avanzamento прогресс
        téléchargement descarga загрузка установка сборка обработка copie herunterladen"
    )
}

pub(super) fn is_work_noun(word: &str) -> bool {
    let word = bare(word);
    let german = word.len() >= 8
        && ["ung", "ción", "zione", "ção"]
            .iter()
            .any(|ending| word.ends_with(ending));
    german
        || WORK_NOUNS.has(word)
        || (word.ends_with("ing") && WORK.begin(word) && !NOT_VERBS.has(word))
}

/// The word without a "re-" in front and an "'s" behind, and of a compound its last part.
fn bare(word: &str) -> &str {
    let word = word.strip_prefix("re-").unwrap_or(word);
    let word = word.strip_suffix("'s").unwrap_or(word);
    word.rsplit('-').next().unwrap_or(word)
}

/// The work is over, in words.
pub(super) fn is_over(word: &str) -> bool {
    listed!(
        word,
        "done complete completed completes finishes finished ready succeeded successful successfully ended
        pronti pronta pronte listos listas prêt prêts prête prêtes fertig abgeschlossen erledigt beendet terminé terminée terminés fini finie
        completado completada terminado terminada hecho listo completato completata
        finito concluído concluída pronto klaar voltooid готово завершено завершён
        завершена выполнено gotowe ukończono tamamlandı bitti klar klart tamam
        finalizado finalizada"
    ) || (runs_on(word)
        && ["完成", "完了", "終了", "完毕", "완료", "終わりました"]
            .iter()
            .any(|part| word.contains(part)))
}

/// The work stopped because something went wrong, in words.
pub(super) fn is_failure(word: &str) -> bool {
    // "OOM-killed"
    let word = word.rsplit('-').next().unwrap_or(word);
    listed!(
        word,
        "failed fails stopped crashed aborted died errored stuck broke cancelled canceled
        killed interrupted fehlgeschlagen gescheitert abgebrochen abgestürzt échoué
        échouée planté falló fallado fallido fallito fallita falhou mislukt провалился
        провалилась упал упала прервано ошибка başarısız misslyckades
        annulé annulée interrompu interrompue annullato annullata interrotto interrotta
        detenido detenida cancelado cancelada interrumpido abortado interrompido отменено
        остановлено afgebroken geannuleerd avbruten przerwano iptal"
    ) || (runs_on(word)
        && [
            "失败",
            "失敗",
            "中断",
            "実行できません",
            "取消",
            "中止",
            "실패",
            "취소",
            "중단",
        ]
        .iter()
        .any(|part| word.contains(part)))
}
