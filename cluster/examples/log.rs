//! Uses a topic as a log of changes, for tests against real brokers.
//!
//! `log PROPERTIES COPIES suite TOPIC` runs the tests of the port on new topics with this prefix,
//! `open TOPIC` opens a log, `write TOPIC NAME [COUNT]` appends entries that are planned on what was
//! read, until its input ends, and prints each that was applied, `read TOPIC` prints what was applied
//! in all, `trim TOPIC` writes a checkpoint and deletes what is before it.

use std::cell::Cell;
use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use gbac_cluster::{ClientProperties, TopicFault, TopicLog, TopicLogOptions, TopicName};
use gbac_log::testing::{entry, suite};
use gbac_log::{Admitted, ChangeLog, LogCheckpoint, LogError, LogPosition, LogState};
use tokio::time::{Instant, sleep};

/// The ID of the data in these tests.
const STORE: &str = "s";
/// How long a writer waits until the cluster is back.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [file, copies, what, topic, more @ ..] = words.as_slice() else {
        return Err(
            "usage: log PROPERTIES COPIES suite|open|write|read|trim TOPIC [NAME [COUNT]]".into(),
        );
    };
    let (properties, _) = ClientProperties::parse(&fs::read_to_string(file)?)?;
    let opening = Opening {
        properties,
        copies: copies.parse()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match (*what, more) {
            ("suite", []) => run_suite(&opening, topic).await,
            ("open", []) => open(&opening, topic).await,
            ("write", [name]) => write(&opening, topic, name, usize::MAX).await,
            ("write", [name, count]) => write(&opening, topic, name, count.parse()?).await,
            ("read", []) => read(&opening, topic).await,
            ("trim", []) => trim(&opening, topic).await,
            _ => Err("this is none of suite, open, write, read and trim".into()),
        }
    })
}

struct Opening {
    properties: ClientProperties,
    copies: u16,
}

impl Opening {
    async fn log(&self, topic: &str) -> Result<TopicLog, TopicFault> {
        let options = TopicLogOptions {
            topic: TopicName::parse(topic).ok_or_else(|| TopicFault::Name(topic.to_owned()))?,
            store: Some(STORE.to_owned()),
            copies: self.copies,
        };
        TopicLog::open(self.properties.clone(), options).await
    }
}

async fn run_suite(opening: &Opening, prefix: &str) -> Result<(), Box<dyn Error>> {
    let count = Cell::new(0);
    suite(async || {
        count.set(count.get() + 1);
        let topic = format!("{prefix}-{}", count.get());
        match opening.log(&topic).await {
            Ok(log) => log,
            Err(fault) => panic!("{topic}: {fault}"),
        }
    })
    .await;
    println!("passed");
    Ok(())
}

async fn open(opening: &Opening, topic: &str) -> Result<(), Box<dyn Error>> {
    let log = opening.log(topic).await?;
    println!("{} {}", log.store(), log.is_new());
    Ok(())
}

/// A reader of a log.
struct Follower {
    log: TopicLog,
    state: LogState,
    next: u64,
}

impl Follower {
    /// At the newest checkpoint.
    async fn new(log: TopicLog) -> Result<Self, LogError> {
        let (position, next) = match log.latest().await? {
            Some(checkpoint) => (checkpoint.position, checkpoint.offset),
            None => (LogPosition::default(), 0),
        };
        let state = LogState::new(STORE, position);
        Ok(Self { log, state, next })
    }

    /// Reads once; the IDs of the entries, with whether they were applied.
    async fn read(&mut self) -> Result<Vec<(String, bool)>, LogError> {
        let followed = self.log.follow(self.next).await?;
        self.next = followed.next;
        let mut ids = Vec::new();
        for record in followed.records {
            match self.state.admit(&record.bytes) {
                Admitted::Applied(entry) => ids.push((entry.id, true)),
                Admitted::Void(entry) => ids.push((entry.id, false)),
                Admitted::Ignored(_) | Admitted::Stopped(_) => {}
            }
        }
        Ok(ids)
    }

    /// Appends an entry until it was applied; what was void is planned again.
    async fn write(&mut self, name: &str) -> Result<(), LogError> {
        let end = Instant::now() + PATIENCE;
        for count in 0.. {
            let id = format!("{name}#{count}");
            let planned = entry(STORE, self.state.position(), &id);
            let mut is_back = false;
            let appended = self.log.append(&planned).await;
            match appended {
                Ok(_) => {}
                Err(LogError::Unavailable(_)) if Instant::now() < end => {
                    sleep(PAUSE).await;
                    continue;
                }
                // What follows on it shows whether it was applied.
                Err(LogError::Unknown(_)) if Instant::now() < end => {
                    sleep(PAUSE).await;
                    if self.log.append(&planned).await.is_err() {
                        continue;
                    }
                }
                Err(error) => return Err(error),
            }
            while !is_back {
                let read = match self.read().await {
                    Ok(read) => read,
                    Err(LogError::Unavailable(_)) if Instant::now() < end => continue,
                    Err(error) => return Err(error),
                };
                for (other, is_applied) in read {
                    // Also if it is an entry whose fate was not known.
                    if is_applied && other.starts_with(&format!("{name}#")) {
                        return Ok(());
                    }
                    is_back |= other == id;
                }
            }
        }
        Ok(())
    }
}

async fn write(
    opening: &Opening,
    topic: &str,
    name: &str,
    count: usize,
) -> Result<(), Box<dyn Error>> {
    let mut follower = Follower::new(opening.log(topic).await?).await?;
    let mut longest = Duration::ZERO;
    let is_over = Arc::new(AtomicBool::new(false));
    if count == usize::MAX {
        let is_over = Arc::clone(&is_over);
        thread::spawn(move || {
            // The end of the input, and an error, too.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            is_over.store(true, Ordering::Relaxed);
        });
    }
    for number in 0..count {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let begin = Instant::now();
        follower.write(&format!("{name}-{number}")).await?;
        longest = longest.max(begin.elapsed());
        println!("{name}-{number}");
    }
    eprintln!("the longest write took {} ms", longest.as_millis());
    Ok(())
}

async fn read(opening: &Opening, topic: &str) -> Result<(), Box<dyn Error>> {
    let mut follower = Follower::new(opening.log(topic).await?).await?;
    let end = follower.log.end().await?;
    while follower.next < end {
        for (id, is_applied) in follower.read().await? {
            if is_applied {
                println!("{}", id.split('#').next().unwrap_or_default());
            }
        }
    }
    let position = follower.state.position();
    println!(
        "{} {} {}",
        position.seq,
        position.digest,
        follower.log.skipped().count
    );
    Ok(())
}

async fn trim(opening: &Opening, topic: &str) -> Result<(), Box<dyn Error>> {
    let mut follower = Follower::new(opening.log(topic).await?).await?;
    let end = follower.log.end().await?;
    while follower.next < end {
        follower.read().await?;
    }
    let checkpoint = LogCheckpoint {
        position: follower.state.position(),
        offset: follower.next,
        state: vec![7; 3 << 20],
    };
    follower.log.checkpoint(&checkpoint).await?;
    follower.log.trim(checkpoint.offset).await?;
    println!("{} {}", checkpoint.position.seq, checkpoint.offset);
    Ok(())
}
