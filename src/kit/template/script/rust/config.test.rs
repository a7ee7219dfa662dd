    #[test]
    fn the_player_chooses_the_greeting() {
        let said = testing::call(answer, json!({})).config(json!({ "greeting": "Hail" })).run();
        assert_eq!(said.output["text"], "Hail, traveller.");
    }
