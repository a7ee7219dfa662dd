//! What a queue promises.

use narratoria_test_postgres::PostgresServer;

use super::{
    ENDED, KIND, LONG, batch, claim, names, outcomes, postgres, result, sqlite, tenant, work,
};
use crate::{
    BATCH_MAX, BatchProgress, ClaimRequest, FinishOutcome, GiveBack, NewWork, QueueError,
    WORK_BYTES_MAX, WorkEnding, WorkKey, WorkPhase, WorkQueue,
};

/// Each promise as one test for each queue.
macro_rules! promises {
    ($($name:ident)*) => {
        mod in_sqlite {
            $(#[tokio::test]
            async fn $name() {
                let (queue, _folder) = super::sqlite().await;
                super::$name(&queue).await;
            })*
        }
        mod in_postgres {
            $(#[tokio::test]
            async fn $name() {
                let Some(server) = super::PostgresServer::shared() else { return };
                super::$name(&super::postgres(&server.database()).await).await;
            })*
        }
    };
}

promises! {
    work_is_added_once_and_its_result_is_found_again
    a_lost_lease_changes_nothing_and_the_work_goes_to_another
    a_heartbeat_keeps_the_lease_and_says_which_are_gone
    three_lost_leases_are_a_quarantine
    a_late_result_that_differs_is_recorded
    the_tenant_with_the_least_in_progress_comes_first
    higher_priorities_come_first
    a_cancelled_batch_ends_its_work_unless_another_wants_it
    work_that_cannot_be_done_or_has_to_wait
    a_worker_takes_only_its_kind
    what_is_too_large_is_refused
    what_has_ended_long_ago_is_removed
    outcomes_come_by_their_keys_and_no_more_than_a_hundred
    each_piece_has_a_phase
}

async fn work_is_added_once_and_its_result_is_found_again(queue: &dyn WorkQueue) {
    let (mine, later) = (batch("zoe/mine"), batch("zoe/later"));
    assert_eq!(queue.enqueue(&mine, KIND, &work("a b a")).await.unwrap(), 2);
    assert_eq!(queue.enqueue(&mine, KIND, &work("b a")).await.unwrap(), 2);
    let taken = claim(queue, 5, LONG).await;
    assert_eq!(names(&taken), "zoe/a zoe/b");
    let progress = BatchProgress { running: 2, workers: 1, ..BatchProgress::default() };
    assert_eq!(queue.progress(&mine).await.unwrap(), progress);
    for one in &taken {
        let finished = queue.finish(one.lease, "w", &result(&one.body)).await.unwrap();
        assert_eq!(finished, FinishOutcome::Stored);
        // The answer was lost, and the request comes again.
        let again = queue.finish(one.lease, "w", &result(&one.body)).await.unwrap();
        assert_eq!(again, FinishOutcome::Stored);
    }
    assert!(queue.progress(&mine).await.unwrap().is_over());
    // Another check of the same things has nothing to do.
    assert_eq!(queue.enqueue(&later, KIND, &work("b c")).await.unwrap(), 1);
    let found = outcomes(queue, &later).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].key, WorkKey::of(["b"]));
    assert_eq!(
        (&found[0].ending, found[0].differs),
        (&WorkEnding::Done { body: "b".into() }, false)
    );
    // Tenants share nothing.
    assert_eq!(queue.enqueue(&batch("ann/mine"), KIND, &work("a")).await.unwrap(), 1);
}

async fn a_lost_lease_changes_nothing_and_the_work_goes_to_another(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a")).await.unwrap();
    let lost = claim(queue, 1, ENDED).await[0].lease;
    let held = claim(queue, 1, LONG).await;
    assert_eq!((names(&held).as_str(), held[0].losses), ("zoe/a", 1));
    assert_eq!(queue.finish(lost, "w", &result("a")).await.unwrap(), FinishOutcome::TooLate);
    assert!(!queue.give_back(lost, &GiveBack::Untouched).await.unwrap());
    assert_eq!(queue.progress(&mine).await.unwrap().running, 1);
    assert_eq!(
        queue.finish(held[0].lease, "w", &result("a")).await.unwrap(),
        FinishOutcome::Stored
    );
    assert_eq!(queue.finish(lost, "w", &result("a")).await.unwrap(), FinishOutcome::TooLate);
    assert!(!outcomes(queue, &mine).await[0].differs);
}

async fn a_heartbeat_keeps_the_lease_and_says_which_are_gone(queue: &dyn WorkQueue) {
    queue.enqueue(&batch("zoe/mine"), KIND, &work("a b")).await.unwrap();
    let lost = claim(queue, 1, ENDED).await[0].lease;
    let held: Vec<_> = claim(queue, 2, ENDED).await.iter().map(|one| one.lease).collect();
    assert_eq!(held.len(), 2);
    let all: Vec<_> = held.iter().copied().chain([lost]).collect();
    let mut kept = queue.heartbeat(&all, LONG).await.unwrap();
    kept.sort();
    assert_eq!(kept, held);
    assert_eq!(names(&claim(queue, 2, LONG).await), "");
}

async fn three_lost_leases_are_a_quarantine(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("bad good")).await.unwrap();
    claim(queue, 1, ENDED).await;
    // A process that ends counts as a lease that ends.
    let second = claim(queue, 1, LONG).await;
    assert!(queue.give_back(second[0].lease, &GiveBack::Lost).await.unwrap());
    claim(queue, 1, ENDED).await;
    assert_eq!(names(&claim(queue, 2, LONG).await), "zoe/good");
    let ended = outcomes(queue, &mine).await;
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].ending, WorkEnding::Quarantined);
    let progress = queue.progress(&mine).await.unwrap();
    assert_eq!((progress.running, progress.ended, progress.given_up), (1, 1, 1));
    // It stays there: the same work would end the same workers.
    queue.enqueue(&batch("zoe/again"), KIND, &work("bad")).await.unwrap();
    assert_eq!(names(&claim(queue, 2, LONG).await), "");
}

async fn a_late_result_that_differs_is_recorded(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a b")).await.unwrap();
    let lost = claim(queue, 2, ENDED).await;
    let held = claim(queue, 2, LONG).await;
    // One late result comes before the other, one after it.
    queue.finish(lost[0].lease, "slow", &result("other")).await.unwrap();
    for one in &held {
        queue.finish(one.lease, "w", &result(&one.body)).await.unwrap();
    }
    let ended = outcomes(queue, &mine).await;
    assert_eq!(ended.iter().map(|one| one.differs).collect::<Vec<_>>(), [true, false]);
    assert_eq!(ended[0].ending, WorkEnding::Done { body: "a".into() });
    queue.finish(lost[1].lease, "slow", &result("other")).await.unwrap();
    assert!(outcomes(queue, &mine).await[1].differs);
}

async fn the_tenant_with_the_least_in_progress_comes_first(queue: &dyn WorkQueue) {
    let hot = (0..50).map(|nth| format!("h{nth} ")).collect::<String>();
    queue.enqueue(&batch("hot/all"), KIND, &work(&hot)).await.unwrap();
    assert_eq!(claim(queue, 10, LONG).await.len(), 10);
    queue.enqueue(&batch("ann/one"), KIND, &work("a1 a2")).await.unwrap();
    queue.enqueue(&batch("zoe/one"), KIND, &work("z1 z2 z3")).await.unwrap();
    let mut order = Vec::new();
    for _ in 0..6 {
        order.extend(claim(queue, 1, LONG).await.iter().map(|one| one.tenant.as_str().to_owned()));
    }
    // Those who came late are served before the tenant who has ten.
    let turns: Vec<&str> = order.iter().map(String::as_str).collect();
    assert!(turns[..5].iter().all(|tenant| *tenant != "hot"), "{turns:?}");
    assert_eq!(turns[5], "hot");
    let mut both = turns[..2].to_vec();
    both.sort_unstable();
    assert_eq!(both, ["ann", "zoe"]);
}

async fn higher_priorities_come_first(queue: &dyn WorkQueue) {
    queue.enqueue(&batch("zoe/mine"), KIND, &work("a b:5 c:-1 d:5")).await.unwrap();
    assert_eq!(names(&claim(queue, 3, LONG).await), "zoe/b zoe/d zoe/a");
    assert_eq!(names(&claim(queue, 3, LONG).await), "zoe/c");
}

async fn a_cancelled_batch_ends_its_work_unless_another_wants_it(queue: &dyn WorkQueue) {
    let (mine, other) = (batch("zoe/mine"), batch("zoe/other"));
    queue.enqueue(&mine, KIND, &work("a b c d")).await.unwrap();
    queue.enqueue(&other, KIND, &work("c")).await.unwrap();
    let taken = claim(queue, 2, LONG).await;
    queue.finish(taken[1].lease, "w", &result("b")).await.unwrap();
    queue.cancel(&mine).await.unwrap();
    queue.cancel(&mine).await.unwrap();
    assert_eq!(queue.progress(&mine).await.unwrap(), BatchProgress::default());
    assert_eq!(queue.heartbeat(&[taken[0].lease], LONG).await.unwrap(), []);
    assert_eq!(
        queue.finish(taken[0].lease, "w", &result("a")).await.unwrap(),
        FinishOutcome::TooLate
    );
    assert_eq!(names(&claim(queue, 9, LONG).await), "zoe/c");
    // The same command again goes on: what was done is there, the rest waits.
    assert_eq!(queue.enqueue(&mine, KIND, &work("a b c d")).await.unwrap(), 3);
    assert_eq!(outcomes(queue, &mine).await.len(), 1);
    assert_eq!(names(&claim(queue, 9, LONG).await), "zoe/a zoe/d");
}

async fn work_that_cannot_be_done_or_has_to_wait(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a b c")).await.unwrap();
    let taken = claim(queue, 3, LONG).await;
    let why = "its file is another".to_owned();
    let failed = GiveBack::Failed { why: why.clone() };
    assert!(queue.give_back(taken[0].lease, &failed).await.unwrap());
    assert!(queue.give_back(taken[1].lease, &GiveBack::Later { wait: LONG }).await.unwrap());
    assert!(queue.give_back(taken[2].lease, &GiveBack::Untouched).await.unwrap());
    let again = claim(queue, 3, LONG).await;
    assert_eq!((names(&again).as_str(), again[0].losses), ("zoe/c", 0));
    let ended = outcomes(queue, &mine).await;
    assert_eq!(
        ended.iter().map(|one| &one.ending).collect::<Vec<_>>(),
        [&WorkEnding::Failed { why }]
    );
    let progress = BatchProgress { ready: 1, running: 1, ended: 1, given_up: 1, workers: 1 };
    assert_eq!(queue.progress(&mine).await.unwrap(), progress);
    queue.enqueue(&mine, KIND, &work("a")).await.unwrap();
    assert_eq!(names(&claim(queue, 3, LONG).await), "zoe/a");
}

async fn a_worker_takes_only_its_kind(queue: &dyn WorkQueue) {
    queue.enqueue(&batch("zoe/mine"), "check 2", &work("a")).await.unwrap();
    assert_eq!(names(&claim(queue, 3, LONG).await), "");
    let request = ClaimRequest { kind: "check 2", worker: "w", count: 1, lease: LONG };
    assert_eq!(names(&queue.claim(request).await.unwrap()), "zoe/a");
}

async fn what_is_too_large_is_refused(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    let body = "x".repeat(WORK_BYTES_MAX + 1);
    let long = [NewWork { key: WorkKey::of(["a"]), priority: 0, body }];
    let error = queue.enqueue(&mine, KIND, &long).await.unwrap_err();
    assert_eq!(error.to_string(), "a piece of work has 65537 bytes, and a queue takes 65536");
    let many = vec![work("a")[0].clone(); BATCH_MAX + 1];
    let error = queue.enqueue(&mine, KIND, &many).await.unwrap_err();
    assert!(matches!(error, QueueError::TooMany { .. }), "{error}");
}

async fn what_has_ended_long_ago_is_removed(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a b")).await.unwrap();
    let taken = claim(queue, 1, LONG).await;
    queue.finish(taken[0].lease, "w", &result("a")).await.unwrap();
    assert_eq!(queue.prune(LONG).await.unwrap(), 0);
    assert_eq!(queue.prune(ENDED).await.unwrap(), 1);
    assert_eq!(outcomes(queue, &mine).await, []);
    assert_eq!(queue.progress(&mine).await.unwrap().ready, 1);
}

async fn outcomes_come_by_their_keys_and_no_more_than_a_hundred(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    let many = (0..150).map(|nth| format!("w{nth} ")).collect::<String>();
    queue.enqueue(&mine, KIND, &work(&many)).await.unwrap();
    let mut left = 150;
    while left > 0 {
        for one in claim(queue, 64, LONG).await {
            queue.finish(one.lease, "w", &result(&one.body)).await.unwrap();
            left -= 1;
        }
    }
    let keys = outcomes(queue, &mine).await.into_iter().map(|one| one.key).collect::<Vec<_>>();
    assert_eq!(keys, work(&many).into_iter().map(|one| one.key).collect::<Vec<_>>());
    let error = queue.outcomes(&mine.tenant, &keys).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a request has 150 pieces of work, and a queue takes 100 at once"
    );
    assert_eq!(queue.outcomes(&tenant("ann"), &keys[..3]).await.unwrap(), []);
}

async fn each_piece_has_a_phase(queue: &dyn WorkQueue) {
    let mine = batch("zoe/mine");
    queue.enqueue(&mine, KIND, &work("a b c d e")).await.unwrap();
    let taken = claim(queue, 4, LONG).await;
    queue.finish(taken[0].lease, "w", &result("a")).await.unwrap();
    let failed = GiveBack::Failed { why: "no".to_owned() };
    assert!(queue.give_back(taken[1].lease, &failed).await.unwrap());
    assert!(queue.give_back(taken[2].lease, &GiveBack::Untouched).await.unwrap());
    let phases = queue.phases(&mine, 0).await.unwrap();
    let [done, given_up, running, waits] =
        [WorkPhase::Done, WorkPhase::GivenUp, WorkPhase::Running, WorkPhase::Waiting];
    let expected = [("a", done), ("b", given_up), ("c", waits), ("d", running), ("e", waits)];
    assert_eq!(phases, expected.map(|(name, phase)| (WorkKey::of([name]), phase)));
    assert_eq!(queue.phases(&mine, 3).await.unwrap(), phases[3..]);
    assert_eq!(queue.phases(&batch("ann/mine"), 0).await.unwrap(), []);
}
