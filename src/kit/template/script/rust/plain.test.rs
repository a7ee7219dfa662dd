    #[test]
    fn it_says_what_it_does() {
        let said = testing::call(answer, json!({})).run();
        assert_eq!(said.events.len(), 1);
    }
