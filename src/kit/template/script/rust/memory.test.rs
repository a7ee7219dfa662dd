    #[test]
    fn it_recalls_what_is_remembered() {
        let asked = testing::call(answer, json!({}));
        assert_eq!(asked.clone().run().remembered[0].text, "Mira keeps the ferry.");
        let said = asked.remembered("The ferry sank.", &["place", "ferry"]).run();
        assert_eq!(said.output["text"], "The ferry sank.");
    }
