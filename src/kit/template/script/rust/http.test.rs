    #[test]
    fn the_answer_of_the_host_is_told() {
        let red = narratoria_sdk::HttpResponse::new(200, "The sky is red.");
        let said = testing::call(answer, json!({})).web_answers(ADDRESS, red).run();
        assert_eq!(said.output["text"], "The sky is red.");
    }
