    #[test]
    fn the_guard_repeats_the_answer() {
        let said = testing::call(answer, json!({})).answer("Ada").run();
        assert_eq!(said.output["text"], "The guard lets Ada pass.");
    }
