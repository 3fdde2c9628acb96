//! The queue of turns and the record of requests.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::block::shortened;
use crate::capture::{AnsweredBy, ApiRequest};
use crate::plan::Plan;
use crate::turn::Turn;
use crate::unfinished::{DryRequest, Unfinished};

/// Shared by the server's connections and its handle.
#[derive(Debug)]
pub(crate) struct State {
    inner: Mutex<Inner>,
    arrived: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Turns with a rule, in order; a request takes the first that fits.
    reserved: Vec<Queued>,
    /// Turns without a rule, in order.
    plain: VecDeque<Queued>,
    fallback: Option<Arc<Turn>>,
    queued: usize,
    fallbacks_served: usize,
    arrivals: usize,
    keep_requests: bool,
    requests: Vec<ApiRequest>,
    dry: Vec<DryRequest>,
    capture: Option<File>,
}

#[derive(Debug, Clone)]
struct Queued {
    number: usize,
    turn: Arc<Turn>,
}

impl State {
    pub(crate) fn new(keep_requests: bool, capture: Option<File>) -> Self {
        let inner = Inner {
            keep_requests,
            capture,
            ..Inner::default()
        };
        Self {
            inner: Mutex::new(inner),
            arrived: watch::Sender::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic elsewhere, such as in a predicate, leaves the queue as it was.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn queue(&self, turn: Turn) {
        let mut inner = self.lock();
        inner.queued += 1;
        let queued = Queued {
            number: inner.queued,
            turn: Arc::new(turn),
        };
        if queued.turn.is_conditional() {
            inner.reserved.push(queued);
        } else {
            inner.plain.push_back(queued);
        }
    }

    pub(crate) fn set_fallback(&self, turn: Turn) {
        self.lock().fallback = Some(Arc::new(turn));
    }

    pub(crate) fn requests(&self) -> Vec<ApiRequest> {
        self.lock().requests.clone()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.lock().unserved().count()
    }

    pub(crate) fn arrivals(&self) -> watch::Receiver<usize> {
        self.arrived.subscribe()
    }

    pub(crate) fn verdict(&self) -> Result<(), Unfinished> {
        let inner = self.lock();
        let mut unserved: Vec<&Queued> = inner.unserved().collect();
        unserved.sort_by_key(|queued| queued.number);
        let leftover: Vec<String> = unserved
            .iter()
            .map(|queued| format!("turn {}: {}", queued.number, queued.turn.summary()))
            .collect();
        if inner.dry.is_empty() && leftover.is_empty() {
            return Ok(());
        }
        Err(Unfinished {
            ran_dry: inner.dry.clone(),
            leftover,
        })
    }

    /// Records a request and selects its answer in one step, so that turns are used in the order
    /// of arrival.
    pub(crate) fn answer(&self, mut request: ApiRequest) -> Plan {
        let mut inner = self.lock();
        inner.arrivals += 1;
        request.index = inner.arrivals;
        let plan = inner.decide(&mut request);
        if let Err(error) = inner.write_capture(&request) {
            eprintln!("scripted API: cannot write the capture file: {error}; capturing stops");
            inner.capture = None;
        }
        let index = request.index;
        if inner.keep_requests {
            inner.requests.push(request);
        }
        drop(inner);
        self.arrived.send_replace(index);
        plan
    }
}

impl Inner {
    fn unserved(&self) -> impl Iterator<Item = &Queued> {
        self.reserved
            .iter()
            .filter(|queued| !queued.turn.spec.always)
            .chain(&self.plain)
    }

    fn decide(&mut self, request: &mut ApiRequest) -> Plan {
        if let Some(Queued { number, turn }) = self.take_reserved(request) {
            request.answered_by = AnsweredBy::Turn(number);
            return Plan::of_turn(&turn, &format!("scripted_{number:06}"), request);
        }
        let request_id = format!("req_arrival_{:06}", request.index);
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/v1/messages") => self.next_message(request, &request_id),
            ("POST", "/v1/messages/count_tokens") => {
                request.answered_by = AnsweredBy::BuiltIn;
                let tokens = request.body.to_string().chars().count() / 4;
                Plan::json(200, &request_id, format!(r#"{{"input_tokens":{tokens}}}"#))
            }
            ("GET", "/v1/models") => {
                request.answered_by = AnsweredBy::BuiltIn;
                let empty = r#"{"data":[],"has_more":false,"first_id":null,"last_id":null}"#;
                Plan::json(200, &request_id, empty.to_owned())
            }
            ("HEAD" | "GET", "/") => {
                request.answered_by = AnsweredBy::BuiltIn;
                Plan::json(200, &request_id, String::new())
            }
            (method, path) => {
                request.answered_by = AnsweredBy::NotFound;
                let message = format!("the scripted API does not serve {method} {path}");
                Plan::error(404, &request_id, "not_found_error", &message)
            }
        }
    }

    fn take_reserved(&mut self, request: &ApiRequest) -> Option<Queued> {
        let position = self
            .reserved
            .iter()
            .position(|queued| queued.turn.fits(request))?;
        if self.reserved[position].turn.spec.always {
            return Some(self.reserved[position].clone());
        }
        Some(self.reserved.remove(position))
    }

    fn next_message(&mut self, request: &mut ApiRequest, request_id: &str) -> Plan {
        if let Some(Queued { number, turn }) = self.plain.pop_front() {
            request.answered_by = AnsweredBy::Turn(number);
            return Plan::of_turn(&turn, &format!("scripted_{number:06}"), request);
        }
        if let Some(turn) = self.fallback.clone() {
            self.fallbacks_served += 1;
            request.answered_by = AnsweredBy::Fallback;
            return Plan::of_turn(
                &turn,
                &format!("fallback_{:06}", self.fallbacks_served),
                request,
            );
        }
        request.answered_by = AnsweredBy::RanDry;
        let dry = DryRequest {
            index: request.index,
            summary: summary(request),
        };
        let message = format!(
            "scripted API ran dry: request {} had no turn",
            request.index
        );
        eprintln!("{message} ({})", dry.summary);
        self.dry.push(dry);
        // Repeating would not help, and ten retries would hide the failure for minutes.
        Plan::error(500, request_id, "api_error", &message).header("x-should-retry", "false")
    }

    fn write_capture(&mut self, request: &ApiRequest) -> io::Result<()> {
        let Some(file) = &mut self.capture else {
            return Ok(());
        };
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        file.write_all(&line)
    }
}

fn summary(request: &ApiRequest) -> String {
    format!(
        "model {}, {}, {} tool(s), {} message(s), last user text {:?}",
        request.model().unwrap_or("none"),
        if request.wants_stream() {
            "stream"
        } else {
            "no stream"
        },
        request.tool_names().len(),
        request.messages().len(),
        shortened(&request.last_user_text())
    )
}
