//! Prints what the sessions of a config folder used, as JSON: `usage CONFIG_DIR [GROUPING…]`.

use std::error::Error;

use claw_transcript::{SessionLibrary, UsageQuery};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .ok_or("give a config folder such as /home/me/.claude, then groupings such as day model")?;
    let mut query = UsageQuery::new();
    for grouping in arguments {
        query = query.group_by(grouping.parse()?);
    }
    let report = query.run(&SessionLibrary::open(folder))?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
