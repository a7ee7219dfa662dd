    #[test]
    fn the_model_s_text_is_told() {
        let said = testing::call(answer, json!({})).model_writes("Red sails come in.").run();
        assert_eq!(said.output["text"], "Red sails come in.");
    }
