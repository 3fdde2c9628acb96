//! Secrets in unusual places.

use super::*;

/// Checks that the redacted line does not contain the text between » and « anywhere, and is JSON.
fn check(name: &str, marked: &str) {
    let marked = marked.replace('~', "");
    let secrets: Vec<&str> = marked
        .split('»')
        .skip(1)
        .filter_map(|rest| rest.split('«').next())
        .collect();
    let line = marked.replace(['»', '«'], "");
    let (new, file) = redacted(&Redact::new().images(true), &line);
    for secret in &secrets {
        assert!(!new.contains(secret), "{name}: {secret} is still in {new}");
    }
    assert_ne!(secrets.len(), 0, "{name}");
    let value: serde_json::Value = serde_json::from_str(&new).expect(name);
    let original: serde_json::Value = serde_json::from_str(&line).expect(name);
    for id in ["uuid", "sessionId", "type", "parentUuid"] {
        assert_eq!(value[id], original[id], "{name}");
    }
    // Redacting again changes nothing.
    let (again, _) = redacted(&Redact::new().images(true), &new);
    assert_eq!(again, new, "{name}");
    // The report contains places, never secrets.
    let said = serde_json::to_string(&file).expect("a report");
    for secret in &secrets {
        assert!(!said.contains(secret), "{name}: {said}");
    }
}

#[test]
fn a_name_makes_a_secret_of_its_value_wherever_it_stands() {
    let inputs = [
        r#"{"host":"db","password":"»S3cretHunter2x«","api_key":"»qwe98zxc76asd5«"}"#,
        r#"{"headers":{"Authorization":"Basic »dXNlcjpodW50ZXIy«","X-Api-Key":"»k9k9k9k9k9aa«"}}"#,
        r#"{"headers":[{"name":"Authorization","value":"Bearer »wordsonlytoken«"},{"value":"»plain words«","key":"DB_PASSWORD"}]}"#,
        r#"{"value":"»gh~p_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8«","value":"x"}"#,
        r#"{"name":"DB_PASSWORD","field":"env","value":"»opensesame«","value":"»closesesame«"}"#,
        r#"{"Cookie":"»sid=abc; b=c«","clientSecret":"»correct horse«","PRIVATE-KEY":"»line one\nline two«"}"#,
        r#"{"credentials":{"user":"»somebody«","nested":[{"deep":"»quite deep«"}]}}"#,
        r#"{"secrets":["»one secret«","»two secrets«"]}"#,
        r#"{"password":»12345678«,"cvv":»9173«,"card":»4111111111111111«}"#,
        r#"{"body":"{\"password\":\"»Qw3rtyUiop9«\",\"a\":[{\"token\":\"»tok tok tok«\"}]}"}"#,
        r#"{"body":"{\"a\":\"{\\\"password\\\":\\\"»Qw3rtyUiop9«\\\",\\\"pin\\\":»445566«}\"}"}"#,
        r#"{"token":"»short«","passwd":"»/slash«","Pass_Phrase":"x","passphrase":"»<kept?>9«"}"#,
        r#"{"AK~IAIOSFODNN7EXAMPLQ":"x","b":"»AK~IAIOSFODNN7EXAMPLQ«","»4111111111111111«":"visa"}"#,
    ];
    for input in inputs {
        for line in [
            format!(
                r#"{{"type":"assistant","uuid":"u1","sessionId":"s","message":{{"id":"m","content":[{{"type":"tool_use","id":"t","name":"x","input":{input}}}]}}}}"#
            ),
            format!(r#"{{"type":"user","uuid":"u1","sessionId":"s","toolUseResult":{input}}}"#),
            format!(
                r#"{{"type":"attachment","uuid":"u1","sessionId":"s","attachment":{{"type":"x","y":{input}}}}}"#
            ),
        ] {
            check(input, &line);
        }
    }
}

#[test]
fn what_only_sounds_like_a_secret_stays() {
    for line in [
        r#"{"message":{"usage":{"input_tokens":123456789,"cache_tokens":"12345678"}},"turnAttributionKey":"0a0a0a0a-0000-4000-8000-000000000003"}"#,
        r#"{"toolUseResult":{"token_count":"many of them","tokenType":"Bearer","author":"somebody","key":"value"}}"#,
        r#"{"shape":{"tools":[{"input_schema":{"properties":{"password":{"type":"string","description":"The password to use"}}}}]}}"#,
        r#"{"message":{"content":[{"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9","input":{"password":""}}]}}"#,
        r#"{"env":{"PWD":"/srv/shop","pwd":"/srv/shop"}}"#,
        r#"{"env":[{"name":"DB_PASSWORD_FILE","value":"secrets.txt"}],"token_endpoint":"https://x.test/token"}"#,
        r#"{"password":"[assignment-1]","Authorization":"Bearer [authorization-2]"}"#,
    ] {
        assert_eq!(redacted(&Redact::new(), line).0, line);
    }
}

#[test]
fn what_was_found_once_is_replaced_wherever_it_stands() {
    let text = |text: &str| {
        format!(
            r#"{{"type":"user","uuid":"u1","sessionId":"s","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    for said in [
        r"I typed »Tr0ub4dor9x« again, x»Tr0ub4dor9x«y, DB_PASSWORD=»Tr0ub4dor9x«",
        r"/home/»alicesmith«/x\n-rw-r--r-- 1 »alicesmith« »alicesmith« 12 x\n»alicesmith«@laptop:~$ ls\n-home-»alicesmith«-shop",
        r"/home/bob/x and 1 »bob bob« 12 and cd \u007e»bob«/x and »bob«@laptop",
        r"postgres://app:»Zz91kkQQ1«@»203.0.113.78«:5432/db then »Zz91kkQQ1« v»203.0.113.78«",
        r#"{\"password\": \"»hunter hunter«\"} is »hunter hunter«"#,
        r"C:\\Users\\»Alice Smith«\\x, by »Alice Smith«",
    ] {
        check(said, &text(said));
    }
    // Ordinary words are kept.
    let home = "/home";
    let line = text(&format!(
        "{home}/user/x user, {home}/max/x to the max, --max-lines"
    ));
    let (new, _) = redacted(&Redact::new(), &line);
    let kept = format!("{home}/user-1/x user, {home}/user-2/x to the max, --max-lines");
    assert!(new.contains(&kept), "{new}");
    let line = r#"{"a":{"token":"string","password":"required"},"b":"a required string"}"#;
    let (new, _) = redacted(&Redact::new(), line);
    assert!(new.ends_with(r#""b":"a required string"}"#), "{new}");
    // Structure is kept, even if it looks like a secret.
    let line = r#"{"type":"user","message":{"content":[{"type":"tool_use","input":{"password":"sessionId","secret":"tool_use_1"}}]},"sessionId":"tool_use_1"}"#;
    let (new, _) = redacted(&Redact::new(), line);
    assert!(new.ends_with(r#""sessionId":"tool_use_1"}"#), "{new}");
}

#[test]
fn structure_is_where_the_format_has_it_and_not_what_has_its_name() {
    check(
        "attachment",
        r#"{"type":"attachment","uuid":"u","attachment":{"type":"file","id":"»harry@corp.com«","key":"»ivan@corp.com«","base":"/home/»judyjones«/x","tail":"»kate@corp.com«","operation":"»leo@corp.com«","uuid":"»mia@corp.com«","signature":"»nina@corp.com«"}}"#,
    );
    check(
        "result",
        r#"{"type":"user","uuid":"u","toolUseResult":{"agentId":"»oscar@corp.com«","type":"»pat@corp.com«","source":{"type":"»quinn@corp.com«","data":"»ruth@corp.com«"}}}"#,
    );
    // Digests and ids look random there, and are kept.
    let line = r#"{"type":"attachment","uuid":"aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY","attachment":{"id":"aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY","digests":["aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xZ"]}}"#;
    assert_eq!(redacted(&Redact::new(), line).0, line);
}

#[test]
fn thinking_and_signatures_that_are_none_are_text() {
    check(
        "input",
        r#"{"type":"assistant","uuid":"u","message":{"content":[{"type":"tool_use","id":"t","input":{"thinking":"mail »bob@corp.com«","signature":"»alice@corp.com«"}}]}}"#,
    );
}

#[test]
fn lines_of_a_private_key_are_found_one_by_one() {
    let lines = [
        "MIIEpAIBAAKCAQEA0123456789abcdefghijklmnop",
        "QIIEpAIBAAKCAQEA0123456789abcdefghijklmnop",
        "Zm9vYg==",
    ];
    let [first, second, last] = lines;
    check(
        "diff",
        &format!(
            r#"{{"type":"user","toolUseResult":{{"structuredPatch":[{{"oldStart":1,"lines":["+-----BEGIN PRIVATE~ KEY-----","+»{first}«","+»{second}«","+»{last}«","+-----END PRIVATE~ KEY-----","+some other words"]}}]}}}}"#
        ),
    );
    check(
        "cut listing, and a line of it elsewhere",
        &format!(
            r#"{{"type":"user","message":{{"content":"     1→-----BEGIN PRIVATE~ KEY-----\n     2→»{first}«\n     3→»{second}«\n     4→»{last}«\n     5→","and":"x {first}"}}}}"#
        ),
    );
    let line =
        r#"{"lines":["-----BEGIN PRIVATE~ KEY-----","some words","others"]}"#.replace('~', "");
    assert_eq!(redacted(&Redact::new(), &line).0, line);
}

#[test]
fn data_in_letters_is_a_picture_or_searched() {
    let secret = base64::encode(b"mail carol@corp.com password=Hunter2xyz");
    // Also if there are several.
    let line = format!(
        r#"{{"message":{{"content":[{{"source":{{"type":"base64","media_type":"text/plain","data":"{secret}","data":"eA=="}}}}]}}}}"#
    );
    assert!(!redacted(&Redact::new(), &line).0.contains(&secret));
    for kind in ["text/plain", "application/json"] {
        let line = format!(
            r#"{{"message":{{"content":[{{"type":"document","source":{{"type":"base64","media_type":"{kind}","data":"{secret}"}}}}]}}}}"#
        );
        let (new, file) = redacted(&Redact::new(), &line);
        let inner = base64::encode(b"mail [email-1] password=[assignment-1]");
        assert_eq!(new, line.replace(&secret, &inner));
        assert_eq!((file.places.len(), file.not_searched), (2, 0));
        let place = &file.places[0];
        let place = place.offset as usize..(place.offset + place.length) as usize;
        assert_eq!(line[place], secret);
    }
    // A picture of an unsupported type becomes a PNG.
    for kind in ["image/avif", "image/svg+xml", "image/bmp"] {
        let line = format!(
            r#"{{"message":{{"content":[{{"type":"image","source":{{"type":"base64","data":"{secret}","media_type":"{kind}"}}}}]}}}}"#
        );
        let (new, file) = redacted(&Redact::new().images(true), &line);
        let (png, pixel) = pixel::pixel("image/png");
        assert_eq!(new, line.replace(kind, png).replace(&secret, pixel));
        assert_eq!((file.images_replaced, file.not_searched), (1, 0));
    }
}
