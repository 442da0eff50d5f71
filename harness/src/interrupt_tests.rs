use super::*;

#[test]
fn a_build_that_was_cancelled_is_no_failure_of_the_run() {
    assert!(build_failed(JoinError::Cancelled).kind.was_asked_for());
    let failed = JoinError::predicate("as the test wants it");
    assert_eq!(build_failed(failed).kind, FailureKind::Run);
}
