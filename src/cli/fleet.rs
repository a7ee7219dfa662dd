//! Work for a fleet: the parts of checks, and heavy scripts of stories. A client leaves them in a queue and takes the results;
//! workers do them.

mod check_client;
mod part_request;
mod step_client;
mod step_process;
mod step_request;
mod tenant_process;
mod work_process;
mod worker;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_postgres::DatabaseError;
use narratoria_queue::{QueueAddress, QueueError, WorkQueue, open_queue};

pub(super) use check_client::{FleetCheck, NO_MEANING};
pub(super) use step_client::StepFleet;
pub(super) use work_process::do_orders;
pub(super) use worker::worker;

/// The error with its way out.
fn queue_error(error: QueueError) -> TurnError {
    let (hint, kind) = (
        error.hint(),
        match error {
            QueueError::BadAddress | QueueError::Database(DatabaseError::BadUrl { .. }) => {
                TurnErrorKind::BadInput
            }
            _ => TurnErrorKind::Failed,
        },
    );
    let failed = TurnError::new(kind, error);
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

async fn open(address: &str) -> Result<Box<dyn WorkQueue>, TurnError> {
    let address = QueueAddress::parse(address).map_err(queue_error)?;
    open_queue(&address).await.map_err(queue_error)
}
