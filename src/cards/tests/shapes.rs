//! The shapes in which cards, books and chats come, each made by its format's rules.

use serde_json::{Value, json};

use super::make::{as_text, international_chunk, packed_chunk, png, small_png, text_chunk, zip};

/// A file, and the JSON that no export may lose.
pub(super) struct FileShape {
    /// The special feature of the file.
    pub(super) what: &'static str,
    pub(super) file: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) kept: Value,
}

fn fields(name: &str) -> Value {
    json!({
        "name": name, "description": format!("{name} mends nets. She knows each knot, and her mother taught her."),
        "personality": "patient, dry", "scenario": "{{user}} comes to the harbour in the rain.",
        "first_mes": "\"Mind the rope, {{user}},\" says {{char}}.", "mes_example": "<START>\n{{user}}: Hello.\n{{char}}: You are wet."
    })
}

fn v2(name: &str, more: Value) -> Value {
    let mut data = fields(name);
    let rest = json!({
        "creator_notes": "A test.", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
        "tags": ["harbour"], "creator": "me", "character_version": "1.2.0", "extensions": {}
    });
    for (field, value) in rest.as_object().unwrap().iter().chain(more.as_object().unwrap()) {
        data[field] = value.clone();
    }
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": data })
}

fn v3(name: &str, more: Value) -> Value {
    let mut card = v2(name, more);
    card["spec"] = json!("chara_card_v3");
    card["spec_version"] = json!("3.0");
    if card["data"].get("group_only_greetings").is_none() {
        card["data"]["group_only_greetings"] = json!([]);
    }
    card
}

fn entry(keys: &[&str], content: &str) -> Value {
    json!({ "keys": keys, "content": content, "extensions": {}, "enabled": true, "insertion_order": 100, "use_regex": false })
}

fn shape(what: &'static str, file: &'static str, bytes: Vec<u8>, kept: &Value) -> FileShape {
    FileShape { what, file, bytes, kept: kept.clone() }
}

fn json_shape(what: &'static str, file: &'static str, kept: &Value) -> FileShape {
    shape(what, file, kept.to_string().into_bytes(), kept)
}

pub(super) fn all() -> Vec<FileShape> {
    let all = [card_json(), card_pictures(), card_archives(), books(), chats()];
    all.into_iter().flatten().collect()
}

fn card_json() -> Vec<FileShape> {
    let mut flat = fields("Mina Holt");
    flat["talkativeness"] = json!("0.5");
    let v2_plain = v2("Mina Holt", json!({}));
    let loose = v2(
        "Mina Holt",
        json!({
            "tags": "harbour, nets", "alternate_greetings": "Again you.", "character_version": 3, "creator": null, "extensions": { "fav": "true" }
        }),
    );
    let unknown = v2(
        "Mina Holt",
        json!({
            "extensions": { "chub": { "id": 12, "full_path": "a/b", "expressions": null }, "depth_prompt": { "prompt": "x", "depth": 4, "role": "system" } },
            "some_future_field": { "deep": [1, 2.5, -0.125, 1e300, null, true, "ä"] }
        }),
    );
    let book = v2(
        "Mina Holt",
        json!({
            "character_book": { "name": "Harbour", "scan_depth": 2, "token_budget": "500", "recursive_scanning": false, "extensions": {},
                "entries": [entry(&["rope", "ropes"], "The ropes are tarred."), entry(&["/harb(ou)?r/i"], "A pattern.")] }
        }),
    );
    let v3_all = v3(
        "Mina Holt",
        json!({
            "nickname": "Mina", "creator_notes_multilingual": { "de": "Ein Test." }, "source": ["a"], "creation_date": 1700000000, "modification_date": 0,
            "assets": [{ "type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png" }],
            "group_only_greetings": ["Hello, all."]
        }),
    );
    let no_data = json!({ "spec": "chara_card_v2", "spec_version": "2.0", "name": "Mina Holt", "description": "At the top.", "first_mes": "Hello." });
    let pygmalion = json!({
        "char_name": "Mina Holt", "char_persona": "She mends nets.", "char_greeting": "Hello.", "world_scenario": "A harbour.", "example_dialogue": "{{char}}: Yes.", "metadata": { "version": 1 }
    });
    let agnai = json!({
        "kind": "character", "name": "Mina Holt", "persona": { "kind": "wpp", "attributes": { "trade": ["net mender"], "mood": ["dry", "patient"] } },
        "greeting": "Hello.", "scenario": "A harbour.", "sampleChat": "{{char}}: Yes.", "characterBook": { "kind": "memory", "entries": [{ "name": "Ropes", "entry": "Tarred.", "keywords": ["rope"], "priority": 1, "weight": 1, "enabled": true }] }
    });
    let newer = v3("Mina Holt", json!({ "alternate_greetings": { "0": "One.", "1": "Two." } }));
    let bytes = [b"\xef\xbb\xbf".to_vec(), serde_json::to_vec_pretty(&v2_plain).unwrap()].concat();
    vec![
        json_shape("V1, flat", "v1.json", &flat),
        shape("V2, pretty, with a byte order mark", "v2.json", bytes, &v2_plain),
        json_shape("V2, texts and numbers where others belong", "loose.json", &loose),
        json_shape("V2, fields that nobody knows", "unknown.json", &unknown),
        json_shape("V2, with a book", "book.json", &book),
        json_shape("V3, every field", "v3.json", &v3_all),
        json_shape("V2, without `data`", "nodata.json", &no_data),
        json_shape("Pygmalion", "pygmalion.json", &pygmalion),
        json_shape("Agnai", "agnai.json", &agnai),
        json_shape("V3, greetings as an object", "newer.json", &newer),
    ]
}

fn card_pictures() -> Vec<FileShape> {
    let card = v2("Old Tam", json!({}));
    let newer = v3("Old Tam", json!({ "nickname": "Tam" }));
    let text = as_text(&card);
    let lines: String = text
        .as_bytes()
        .chunks(76)
        .map(|line| format!("{}\n", std::str::from_utf8(line).unwrap()))
        .collect();
    let unpadded = text.trim_end_matches('=').to_owned();
    let asset = v3(
        "Old Tam",
        json!({ "assets": [{ "type": "icon", "uri": "__asset:0", "name": "main", "ext": "png" }] }),
    );
    let small = crate::source::encode(&small_png());
    let mut shapes = compressed_and_not(&card, &text);
    shapes.extend([
        shape("PNG, `chara` in tEXt", "text.png", png(&[text_chunk("chara", &text)], &[]), &card),
        shape(
            "PNG, `chara` in tEXt behind the pixels",
            "after.png",
            png(&[], &[text_chunk("chara", &text)]),
            &card,
        ),
        shape("PNG, base64 in lines", "lines.png", png(&[text_chunk("chara", &lines)], &[]), &card),
        shape(
            "PNG, base64 without padding",
            "unpadded.png",
            png(&[text_chunk("chara", &unpadded)], &[]),
            &card,
        ),
        shape(
            "PNG, `chara` before `ccv3`",
            "both.png",
            png(
                &[
                    text_chunk("chara", &text),
                    text_chunk("Software", "x"),
                    text_chunk("ccv3", &as_text(&newer)),
                ],
                &[],
            ),
            &newer,
        ),
        shape(
            "PNG, an asset in a text",
            "asset.png",
            png(
                &[text_chunk("chara-ext-asset_:0", &small)],
                &[text_chunk("ccv3", &as_text(&asset))],
            ),
            &asset,
        ),
        shape(
            "PNG, bytes behind its end",
            "trailer.png",
            [png(&[text_chunk("chara", &text)], &[]), b"tail".to_vec()].concat(),
            &card,
        ),
    ]);
    shapes
}

/// The two kinds of texts besides tEXt, packed or plain.
fn compressed_and_not(card: &Value, text: &str) -> Vec<FileShape> {
    vec![
        shape("PNG, `Chara` in zTXt", "packed.png", png(&[packed_chunk("Chara", text)], &[]), card),
        shape(
            "PNG, `chara` in iTXt",
            "itxt.png",
            png(&[international_chunk("chara", text, false)], &[]),
            card,
        ),
        shape(
            "PNG, `chara` in packed iTXt behind the pixels",
            "itxtz.png",
            png(&[], &[international_chunk("chara", text, true)]),
            card,
        ),
        shape(
            "PNG, plain JSON in iTXt",
            "plain.png",
            png(&[international_chunk("chara", &card.to_string(), false)], &[]),
            card,
        ),
    ]
}

fn card_archives() -> Vec<FileShape> {
    let with_icon = |uri: &str| {
        v3(
            "Old Tam",
            json!({ "assets": [
        { "type": "icon", "uri": uri, "name": "main", "ext": "png" },
        { "type": "x-risu-asset", "uri": "embeded://assets/other/image/song.mp3", "name": "song", "ext": "mp3" },
        { "type": "background", "uri": "https://example.com/a.png", "name": "far", "ext": "png" }
    ] }),
        )
    };
    let archive = |card: &Value| {
        let (card, icon) = (card.to_string(), small_png());
        zip(&[
            ("card.json", card.as_bytes()),
            ("assets/icon/image/main.png", &icon),
            ("assets/other/image/song.mp3", b"ID3"),
            ("module.risum", b"\0\x01"),
        ])
    };
    let spec = with_icon("embeded://assets/icon/image/main.png");
    let other = with_icon("embedded://assets/icon/image/main.png");
    let jpeg = [
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9".to_vec(),
        archive(&spec),
    ]
    .concat();
    vec![
        shape("CHARX, `embeded://`", "spec.charx", archive(&spec), &spec),
        shape("CHARX, `embedded://`", "other.charx", archive(&other), &other),
        shape("CHARX behind a JPEG picture", "late.jpg", jpeg, &spec),
        shape(
            "CHARX behind a PNG picture",
            "late.png",
            [small_png(), archive(&spec)].concat(),
            &spec,
        ),
    ]
}

fn books() -> Vec<FileShape> {
    let tavern_entry = |key: Value, content: &str, more: Value| {
        let mut entry = json!({
            "uid": 0, "key": key, "keysecondary": [], "comment": "", "content": content, "constant": false, "selective": true, "order": 100,
            "position": 0, "disable": false, "probability": 100, "useProbability": true, "depth": 4
        });
        for (field, value) in more.as_object().unwrap() {
            entry[field] = value.clone();
        }
        entry
    };
    let map = json!({ "entries": {
        "0": tavern_entry(json!(["rope"]), "Tarred.", json!({})), "7": tavern_entry(json!("net, nets"), "Mended.", json!({ "uid": "7", "order": "90", "constant": "true" }))
    }, "originalData": null });
    let list = json!({ "name": "Harbour", "entries": [
        tavern_entry(json!(["rope"]), "Tarred.", json!({ "probability": 30, "keysecondary": ["tar"], "group": "g", "sticky": 2 })),
        tavern_entry(json!(["gull"]), "It waits.", json!({ "disable": true }))
    ] });
    let alone = json!({ "name": "Harbour", "extensions": {}, "entries": [entry(&["rope"], "@@depth 4\n@@@x\nTarred."), entry(&[], "")] });
    let v3_file = json!({ "spec": "lorebook_v3", "data": { "name": "Harbour", "extensions": {}, "entries": [entry(&["rope"], "Tarred.")] } });
    let risu = json!({ "type": "risu", "ver": 1, "data": [
        { "key": "rope, ropes", "secondkey": "", "insertorder": 100, "comment": "Ropes", "content": "Tarred.", "mode": "normal", "alwaysActive": true, "selective": false }
    ] });
    let agnai = json!({ "kind": "memory", "name": "Harbour", "description": "", "entries": [
        { "name": "Ropes", "entry": "Tarred.", "keywords": ["rope"], "priority": 5, "weight": 5, "enabled": true }
    ] });
    let novel = json!({ "lorebookVersion": 5, "entries": [
        { "text": "Tarred.", "displayName": "Ropes", "keys": ["rope"], "searchRange": 1000, "enabled": true, "forceActivation": false, "contextConfig": { "budgetPriority": 400 }, "id": "a-b" }
    ], "settings": { "orderByKeyLocations": false } });
    vec![
        json_shape("SillyTavern book, entries in an object", "map.json", &map),
        json_shape("SillyTavern book, entries in a list", "list.json", &list),
        json_shape("Book of a card, alone", "alone.json", &alone),
        json_shape("Book of V3 in a file", "lorebook.json", &v3_file),
        json_shape("RisuAI book", "risu.json", &risu),
        json_shape("Agnai book", "agnai-book.json", &agnai),
        json_shape("NovelAI book", "novel.json", &novel),
    ]
}

fn chats() -> Vec<FileShape> {
    let head = json!({ "user_name": "Sam", "character_name": "Mina Holt", "create_date": "2024-5-1 @10h 0m 0s 0ms", "chat_metadata": { "note_prompt": "x" } });
    let message = |name: &str, by_user: bool, text: Value| json!({ "name": name, "is_user": by_user, "is_system": false, "send_date": 1714550400, "mes": text });
    let mut swiped = message("Mina Holt", false, json!("Mind the rope, {{user}}."));
    swiped["swipes"] = json!(["Mind the rope, {{user}}.", "Mind the net."]);
    swiped["swipe_id"] = json!(0);
    swiped["extra"] = json!({ "api": "x" });
    let mut hidden = message("SillyTavern System", false, json!("Note."));
    hidden["is_system"] = json!(true);
    let first = vec![head.clone(), swiped, message("Sam", true, json!("Which rope?")), hidden];
    let chub = vec![
        json!({ "user_name": "unused", "character_name": "unused" }),
        message("Mina Holt", false, json!({ "message": "Hello.", "id": 4 })),
        message("Sam", true, json!("Hello.")),
    ];
    let headless =
        vec![message("Mina Holt", false, json!("Hello.")), message("Sam", true, json!("Hello."))];
    let lines = |chat: &[Value]| {
        chat.iter().map(|line| format!("{line}\r\n")).collect::<String>().into_bytes()
    };
    vec![
        shape(
            "SillyTavern chat, swipes and hidden messages",
            "Mina - 2024.jsonl",
            lines(&first),
            &Value::Array(first),
        ),
        shape("Chub chat, messages as objects", "chub.jsonl", lines(&chub), &Value::Array(chub)),
        shape(
            "Chat without a head, as .json",
            "headless.json",
            lines(&headless),
            &Value::Array(headless),
        ),
    ]
}
