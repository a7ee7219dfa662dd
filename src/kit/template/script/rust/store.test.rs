    #[test]
    fn each_visit_counts() {
        let said = testing::call(answer, json!({})).kept("visits", 2).run();
        assert_eq!(said.output["text"], "This is visit number 3.");
        assert_eq!(said.kept["visits"], 3);
    }
