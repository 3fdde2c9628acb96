//! Detectors on what they must find and on what only looks like it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::*;

mod leaks;
mod overlaps;
mod twice;

/// Every find of the default detectors in a text, as `detector:secret`. A `~` in the text is left
/// out: with it, nothing here looks like a secret to those who search repositories for them.
fn finds(text: &str) -> Vec<String> {
    let text = text.replace('~', "");
    static ALL: LazyLock<Finder> = LazyLock::new(|| {
        Finder::new(&OwnRules::default(), |_| true, ENTROPY).expect("patterns compile")
    });
    let finder = &*ALL;
    let found = finder::merged(finder.find(&text, true)).into_iter();
    found
        .filter(|found| finder.kinds[found.kind].0 != "host")
        .map(|found| {
            format!(
                "{}:{}",
                finder.kinds[found.kind].0,
                &text[found.start..found.end]
            )
        })
        .collect()
}

#[test]
fn each_detector_finds_its_own() {
    // In each text, what is between » and « is the find.
    let cases = [
        (
            "anthropic-key",
            "key »sk-~ant-api03-AbCdEfGh_1234567890-xyzXYZ« end",
        ),
        ("openai-key", "»sk-~proj-AbCdEfGh1234567890abcd«"),
        (
            "openai-key",
            "'»sk-~abcdefghijklmnopqrstuvwxyz0123456789ABCD«'",
        ),
        ("aws-access-key", "id »AK~IAIOSFODNN7EXAMPLE«,"),
        (
            "aws-secret",
            "aws_secret_access_key = »wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAM~PLEKEY«",
        ),
        (
            "aws-secret",
            "\"SecretAccessKey\": \"»wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAM~PLEKEY«\"",
        ),
        (
            "github-token",
            "»gh~p_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8«",
        ),
        ("github-token", "»github~_pat_11ABCDEFG0abcdefghijkl_mnop«"),
        ("gitlab-token", "»gl~pat-AbCd_1234-efGH5678ij«"),
        ("slack-token", "»xo~xb-1234567890-abcdefABCDEF«"),
        (
            "google-key",
            "?key=»AI~zaSyA1234567890abcdefghijklmnopqrstuv«&x",
        ),
        ("npm-token", "»np~m_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8«"),
        (
            "pypi-token",
            "»py~pi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDA«",
        ),
        ("stripe-key", "»sk_~live_a1B2c3D4e5F6g7H8i9J0«"),
        (
            "jwt",
            "x »eyJ~hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbU« y",
        ),
        (
            "private-key",
            "a\n»-----BEGIN RSA PRIVATE~ KEY-----\nMIIEpAIBAAKCAQEA0123456789abcdefghijklmnop\n-----END RSA PRIVATE~ KEY-----«\nb",
        ),
        (
            "private-key",
            "»-----BEGIN PRIVATE~ KEY-----\nMIIEpAIBAAKCAQEA0123456789abcdefghijklmnop\nMIIEpAIBAAKCAQEA0123456789abcdefghijklmnop« cut",
        ),
        ("url-password", "postgres://app:»s3cr~et!pw«@db.internal/x"),
        ("authorization", "Authorization: Bearer »abc123DEF456«"),
        (
            "authorization",
            "-H 'authorization: Basic »dXNlcjpwYXNzMTIz«'",
        ),
        ("authorization", "{\"x-api-key\": \"»0123456789abcdef«\"}"),
        ("assignment", "DB_PASSWORD=»hunter22«"),
        ("assignment", "password=»correcthorse«&user=x"),
        ("assignment", "\"api_key\": \"»9f8e7d6c5b4a«\""),
        ("assignment", "token => '»abc-123-def«'"),
        ("assignment", "password=»p@ss(w0rd)!9« and"),
        ("assignment", "PASSWORD=»my-R3al-Secret«"),
        ("assignment", "pw: password=\"»$ecret1234«\" x"),
        ("assignment", "password: \"»correct horse 9 battery«\""),
        (
            "assignment",
            "curl -d \"{\\\"password\\\":\\\"»Qw3rtyUiop9«\\\"}\"",
        ),
        ("assignment", "\nDB_PASSWORD=»a;b&c(d12«\n"),
        ("assignment", "run --api-key »k9k9k9k9k9aa« x"),
        (
            "assignment",
            "the deploy token is »9f86d081884c7d659a2feaa0c55ad015a3bf4f1b«",
        ),
        ("authorization", "Cookie: »sid=abc123; theme=dark«"),
        ("authorization", "curl -s -u bob:»hunter2« https://x.test"),
        ("email", "ask »petar@firma.rs« or"),
        ("email", "»ana@firma.md«"),
        ("email", "»jose@empresa.py«"),
        ("email", "?email=»gina%40corp.com«&x=1"),
        ("ipv4", "ssh deploy@»203.0.113.77« uptime"),
        ("ipv4", "route host/»10.1.2.3«"),
        ("home-user", "C:\\Users\\»Alice Smith«\\Desktop"),
        ("home-user", "ls\n-home-»bobjones-app«\n"),
        ("email", "write to »Jane.Doe+x@mail.example.com«."),
        ("email", "<»a@b.io«>"),
        ("credit-card", "card »4111 1111 1111 1111« ok"),
        ("credit-card", "»5500005555555559«"),
        ("credit-card", "»3782-822463-10005«"),
        ("phone", "call »+49 30 901820 12« now"),
        ("phone", "»+1 (415) 555-0132«"),
        ("phone", "tel »415-555-0132«"),
        ("ipv4", "from »192.168.17.4«:8080"),
        ("ipv4", "http://»10.20.30.40«/x"),
        ("ipv6", "[»2001:db8:85a3::8a2e:370:7334«]:443"),
        ("ipv6", "inet6 »fe80::1«%eth0"),
        ("home-user", "cd /home/»alice«/src"),
        ("home-user", "C:\\Users\\»Bob.Smith«\\x"),
        ("home-user", "x/.claude/projects/-Users-»alice«/y"),
        ("high-entropy", "is »aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY« it"),
    ];
    let mut covered: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (detector, text) in cases {
        let secret = text
            .split(['»', '«'])
            .nth(1)
            .expect("marked")
            .replace('~', "");
        let text = text.replace(['»', '«'], "");
        let found = finds(&text);
        if found != [format!("{detector}:{secret}")] {
            wrong.push((text, found));
        }
        *covered.entry(detector).or_default() += 1;
    }
    assert_eq!(wrong, Vec::new());
    let all = Detector::ALL
        .iter()
        .filter(|detector| detector.is_default());
    let missing: Vec<_> = all
        .filter(|known| !covered.contains_key(known.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&Detector>::new());
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let harmless = [
        "6b6b688e-8b5d-4452-b50e-d6624b975533",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 8f3c1a9e0b7d6c5f4e3d2c1b0a9f8e7d6c5b4a39",
        "sha512-Q2bFTOhEALkN8hOms2FKTDLy7eugP2zFZ1T8LCvX42Fp3WoNr3bjZSAHeOsHrbV1Fu9/A0EzCinRE7Af1ofPrw==",
        "toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==".repeat(3).leak(),
        "/9j/4AAQSkZJRgABAQEASABIAAD",
        "sk-ant-short sk-learn sk-antelope-something-long-enough scikit sk-learn-is-a-package-name-of-many-letters",
        concat!("ghp_short github_pat_ npm", "_config_registry_of_the_user_that_is_long pypi-server"),
        "AKIA1234 AIzaShort xoxb- glpat- eyJhbGciOiJIUzI1NiJ9",
        concat!("-----BEGIN PRIVATE ", "KEY----- and -----END PRIVATE ", "KEY-----"),
        "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA\n-----END CERTIFICATE-----",
        "https://example.com:8080/x@y https://user:$PASS@host https://user:<password>@host http://u:***@h",
        "Authorization: Bearer <token> Authorization: Bearer $TOKEN bearer of bad news, Authorization header",
        "token: string; password: String, secret?: boolean, apiKey = process.env.API_KEY, token = self.token",
        "max_tokens=4096 input_tokens: 123456 token_count=100000 token=123456 next_token: usize",
        "let token = getToken(); password = input('Password: '); secret = vec![1, 2, 3]",
        "password: the one you chose, token: u128, --token=<TOKEN> TOKEN=${TOKEN} password=********",
        "react@18.2.0 @types/node@20.1.0 icon@2x.png git@github.com:a/b.git name@latest noreply@anthropic.com getty@tty1.service",
        "@app.route @Override user@localhost",
        "1.2.3 v1.2.3.4 version 10.2.3.4 Chrome/120.0.0.0 127.0.0.1 0.0.0.0 255.255.255.255 300.1.2.3 pkg-1.2.3.4 1.2.3.4.5 numpy==1.2.3.4",
        "12:30:45 std::fmt::Display a::b dead::beef ::1 :: 00:1a:2b:3c:4d:5e abc::def::0 2026-11-15T02:33:47.027Z",
        "1794710012351 1794710012351000000 4111111111111112 1234567890123456 0.4111111111111111 4.111111111111111",
        "+0200 +2024-01-15 12:30:45 @@ -1,5 +1,6 @@ +1234567890123 2026-11-15 100-200-3000 +1.5, 555-0132",
        "src/home/index.ts https://x.com/home/page ./home/x /Users/Shared/x /home/ /home/$USER /home/user-1/x /home/<name>",
        "CoroutineExceptionHandlerImplementation2 some_very_long_snake_case_name_42 AbstractSingletonProxyFactoryBean1234",
        "crates/claw-transcript/src/redact/detector.rs claude-opus-4-5-20251101 us.anthropic.claude-sonnet-4-20250514-v1:0",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "[email-1] [github-token-2] [ipv4-3] [high-entropy-4] /home/user-1/x",
    ];
    let mut wrong = Vec::new();
    for text in harmless {
        wrong.extend(finds(text));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A line after redaction, with what the report says of its file.
fn redacted(redact: &Redact, line: &str) -> (String, RedactedFile) {
    // Most tests want the same one, and patterns are slow to compile.
    static DEFAULT: LazyLock<Finder> = LazyLock::new(|| {
        Finder::new(&OwnRules::default(), Detector::is_default, ENTROPY).expect("patterns compile")
    });
    let wanted = |detector| redact.detectors.contains(&detector);
    let usual = redact.rules.rules.is_empty()
        && Detector::ALL
            .into_iter()
            .all(|d| wanted(d) == d.is_default());
    let own =
        (!usual).then(|| Finder::new(&redact.rules, wanted, ENTROPY).expect("patterns compile"));
    let finder = own.as_ref().unwrap_or(&DEFAULT);
    let renamed = (
        "11111111-0000-4000-8000-000000000001".to_owned(),
        "new-id".to_owned(),
    );
    let mut names = Pseudonyms::new();
    let mut pass = Pass::new(finder, &mut names);
    pass.json(line.as_bytes());
    let known = Known::new(finder, &names).expect("words");
    let mut pass = Pass::new(finder, &mut names);
    pass.known = known.as_ref();
    pass.images = redact.images;
    pass.renamed = redact.new_id.then_some(&renamed);
    pass.listed = 100;
    pass.line = 1;
    pass.json(line.as_bytes());
    let new = pass.apply(line.as_bytes());
    let new = new.unwrap_or_else(|| line.as_bytes().to_vec());
    (String::from_utf8(new).expect("text stays text"), pass.file)
}

#[test]
fn only_texts_change_and_nothing_around_them() {
    let cases = [
        // Spacing, order, doubled names, numbers and escapes elsewhere stay.
        (
            r#" { "b" : 1.0e5 ,"a":"x\u0041 a@b.io\n/\/", "b":  9007199254740993 } "#,
            r#" { "b" : 1.0e5 ,"a":"x\u0041 [email-1]\n/\/", "b":  9007199254740993 } "#,
        ),
        // Found through escapes, at the edges of words and inside.
        (
            r#"{"text":"one\na@b.io\ttwo \u0061\u0040b.io \"a@b.io\" C:\\Users\\bob\\x"}"#,
            r#"{"text":"one\n[email-1]\ttwo [email-1] \"[email-1]\" C:\\Users\\user-1\\x"}"#,
        ),
        // Structure stays, whatever it holds; what only has its name does not.
        (
            r#"{"uuid":"a@b.io","tail":["a@b.io"],"message":{"id":"a@b.io","content":[{"type":"tool_use","id":"a@b.io","input":{"id":"a@b.io","tail":["a@b.io"]}}]}}"#,
            r#"{"uuid":"a@b.io","tail":["[email-1]"],"message":{"id":"a@b.io","content":[{"type":"tool_use","id":"a@b.io","input":{"id":"[email-1]","tail":["[email-1]"]}}]}}"#,
        ),
        // Names of members that are paths.
        (
            r#"{"files":{"/home/bob/a.txt":{"cwd":"/home/bob"}}}"#,
            r#"{"files":{"/home/user-1/a.txt":{"cwd":"/home/user-1"}}}"#,
        ),
        // A line that was cut, and one that is no JSON at all.
        (
            r#"{"type":"user","message":{"content":"x\na@b.io and c@d.io"#,
            r#"{"type":"user","message":{"content":"x\n[email-1] and [email-2]"#,
        ),
        ("plain a@b.io", "plain [email-1]"),
        ("\"a@b.io\"", "\"[email-1]\""),
        ("", ""),
    ];
    for (line, expected) in cases {
        assert_eq!(redacted(&Redact::new(), line).0, expected);
    }
}

#[test]
fn changed_thinking_loses_its_signature_and_other_thinking_keeps_it() {
    let line = r#"{"message":{"content":[{"type":"thinking","thinking":"ask a@b.io","signature":"c2ln"},{"signature":"c2ln","thinking":"ask Bob","type":"thinking"},{"type":"redacted_thinking","data":"YUBiLmlv"}]}}"#;
    let (new, file) = redacted(&Redact::new(), line);
    let expected = line
        .replacen("a@b.io", "[email-1]", 1)
        .replacen("c2ln", "", 1);
    assert_eq!((new, file.signatures_emptied), (expected, 1));
}

#[test]
fn pictures_become_a_pixel_only_when_asked() {
    let line = r#"{"message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAAAA"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xCuLj"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a@b.io"}}]},"toolUseResult":{"file":{"base64":"aWNvbg==","type":"image/png"}}}"#;
    let (new, file) = redacted(&Redact::new(), line);
    assert_eq!(new, line.replace("a@b.io", "[email-1]"));
    assert_eq!((file.images_replaced, file.not_searched), (0, 3));
    let (new, file) = redacted(&Redact::new().images(true), line);
    let expected = line
        .replace("a@b.io", "[email-1]")
        .replace("R0lGODlhAAAA", picture::pixel("image/gif").1)
        .replace("aWNvbg==", picture::pixel("image/png").1);
    assert_eq!(new, expected);
    assert_eq!((file.images_replaced, file.not_searched), (2, 1));
}

#[test]
fn a_new_id_stands_wherever_the_old_one_did() {
    let line = r#"{"sessionId":"11111111-0000-4000-8000-000000000001","cwd":"/home/bob","path":"/p/11111111-0000-4000-8000-000000000001/x"}"#;
    let (new, _) = redacted(&Redact::new().new_id(true), line);
    assert_eq!(
        new,
        r#"{"sessionId":"new-id","cwd":"/home/user-1","path":"/p/new-id/x"}"#
    );
}

#[test]
fn own_rules_come_first_and_detectors_can_be_chosen() {
    let rules = r#"{"rules":[
        {"name":"customer","words":["acme","Foo & Sons"],"ignoreCase":true},
        {"name":"ticket","regex":"OPS-([0-9]+)"}]}"#;
    let redact = Redact::new().rules(OwnRules::parse(rules).expect("rules"));
    let line = r#"{"a":"Acme, acmeology, Foo & Sons, OPS-12, x@acme.com","acme":"ACME"}"#;
    let (new, _) = redacted(&redact, line);
    assert_eq!(
        new,
        r#"{"a":"[customer-1], acmeology, [customer-2], OPS-[ticket-1], [email-1]","[customer-3]":"[customer-4]"}"#
    );
    let some = Redact::new()
        .only([Detector::Ipv4, Detector::Host])
        .without(Detector::Ipv4);
    let (new, _) = redacted(&some, r#"{"a":"https://db.corp/x a@b.io 10.1.2.3"}"#);
    assert_eq!(new, r#"{"a":"https://host-1.invalid/x a@b.io 10.1.2.3"}"#);
    for bad in [
        r#"{"rules":[{"name":"A b","words":["x"]}]}"#,
        r#"{"rules":[{"name":"email","words":["x"]}]}"#,
        r#"{"rules":[{"name":"x"}]}"#,
        r#"{"rules":[{"name":"x","regex":"("}]}"#,
        r#"{"rules":[{"name":"x","regexp":"a"}]}"#,
    ] {
        assert!(OwnRules::parse(bad).is_err(), "{bad}");
    }
}
