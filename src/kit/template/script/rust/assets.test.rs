    #[test]
    fn the_map_is_announced() {
        let said = testing::call(answer, json!({})).run();
        assert!(said.lines.contains(r#""type":"asset""#), "{}", said.lines);
    }
