//! `#[tool]` in all its forms, with the definitions that come of it.

use std::sync::{Arc, Mutex};

use rusty_claw::mcp::{IntoTool, McpServer, Tool, ToolContext, ToolError, tool, tools};
use rusty_claw::serde_json::{self, Value, json};
use rusty_claw::{schemars, serde};

use super::{call, handle, tools_call};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "rusty_claw::serde")]
#[schemars(crate = "rusty_claw::schemars")]
struct Order {
    /// Who orders.
    customer: String,
    /// What is ordered.
    items: Vec<Item>,
    /// Said to the kitchen.
    note: Option<String>,
    #[serde(default)]
    speed: Speed,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "rusty_claw::serde")]
#[schemars(crate = "rusty_claw::schemars")]
struct Item {
    name: String,
    /// How many.
    count: u8,
}

#[derive(Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(crate = "rusty_claw::serde", rename_all = "lowercase")]
#[schemars(crate = "rusty_claw::schemars")]
enum Speed {
    #[default]
    Normal,
    Express,
}

/// Places an order.
///
/// Ask the user before:
///   - large orders
#[tool(
    name = "place-order",
    title = "Order",
    destructive = false,
    idempotent = false,
    open_world,
    always_load,
    search_hint = "food kitchen"
)]
async fn place_order(order: Order) -> Result<String, ToolError> {
    let count: u32 = order.items.iter().map(|item| u32::from(item.count)).sum();
    let names: Vec<_> = order.items.into_iter().map(|item| item.name).collect();
    let speed = match order.speed {
        Speed::Normal => "soon",
        Speed::Express => "at once",
    };
    let note = order.note.unwrap_or_default();
    let names = names.join("+");
    Ok(format!(
        "{}: {count} {names} {speed} {note}",
        order.customer
    ))
}

/// Searches.
#[tool]
async fn search(
    context: ToolContext,
    /// For what.
    query: String,
    #[arg(doc = "How many at most.", default = 10u8)] limit: u16,
    #[arg(name = "type")] kind: Option<String>,
    #[arg(default)] deep: bool,
    #[serde(alias = "language")] mut lang: Option<String>,
) -> String {
    let lang = lang.take().unwrap_or_default();
    let tool = context.tool_name();
    format!("{tool} {query} {limit} {kind:?} {deep} {lang}")
}

/// Squares.
#[tool(description = "Squares a number.")]
async fn square(x: i64) -> i64 {
    x * x
}

/// Places one kind of thing.
#[tool]
async fn place_item(#[arg] item: Item) -> String {
    format!("{} {}", item.count, item.name)
}

/// Tells the time.
#[tool]
async fn r#try() -> &'static str {
    "noon"
}

fn definition(tool: impl IntoTool) -> String {
    serde_json::to_string_pretty(tool.into_tool().definition()).unwrap()
}

#[test]
fn a_struct_is_the_arguments() {
    insta::assert_snapshot!(definition(place_order));
}

#[test]
fn parameters_are_the_arguments() {
    insta::assert_snapshot!(definition(search));
}

#[test]
fn other_forms() {
    insta::assert_snapshot!(definition(square));
    insta::assert_snapshot!(definition(place_item));
    insta::assert_snapshot!(definition(r#try));
}

async fn text(tool: Tool, arguments: Value) -> Value {
    let name = tool.name().clone();
    let connection = McpServer::new("s").tool(tool).connect();
    call(&connection, &name, &arguments).await["content"][0]["text"].clone()
}

#[tokio::test]
async fn they_are_called() {
    let items = json!([{"name": "tea", "count": 2}, {"name": "bun", "count": 1}]);
    let order = json!({"customer": "Ada", "items": items, "note": "hot", "speed": "express"});
    assert_eq!(
        text(place_order.into_tool(), order).await,
        "Ada: 3 tea+bun at once hot"
    );
    let order = json!({"customer": "Ada", "items": []});
    assert_eq!(text(place_order.into_tool(), order).await, "Ada: 0  soon ");

    let few = json!({"query": "rust"});
    assert_eq!(
        text(search.into_tool(), few).await,
        "search rust 10 None false "
    );
    let all = json!({"query": "r", "limit": 3, "type": "web", "deep": true, "language": "de"});
    assert_eq!(
        text(search.into_tool(), all).await,
        "search r 3 Some(\"web\") true de"
    );

    assert_eq!(text(square.into_tool(), json!({"x": 7})).await, "49");
    let item = json!({"item": {"name": "tea", "count": 2}});
    assert_eq!(text(place_item.into_tool(), item).await, "2 tea");
    assert_eq!(text(r#try.into_tool(), json!({"ignored": 1})).await, "noon");
}

#[tokio::test]
async fn the_function_itself_is_there() {
    assert_eq!(square::call(3).await, 9);
    let context = ToolContext::detached("s", "search");
    assert_eq!(
        search::call(context, "q".to_owned(), 1, None, true, None).await,
        "search q 1 None true "
    );
}

#[tokio::test]
async fn what_does_not_fit_is_named_by_its_place() {
    let items = json!([{"name": "tea", "count": 2}, {"name": "bun", "count": 1000}]);
    let order = json!({"customer": "Ada", "items": items});
    let connection = McpServer::new("s").tool(place_order).connect();
    let answer = handle(&connection, tools_call(1, "place-order", &order)).await;
    assert_eq!(
        answer["error"]["message"],
        "The arguments of `place-order` do not fit: items[1].count: invalid value: integer \
         `1000`, expected u8"
    );
}

mod prelude {
    pub(super) use rusty_claw as claw;
}

/// Adds, though the library is found elsewhere.
#[tool(crate = "prelude::claw")]
async fn add_elsewhere(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::test]
async fn the_library_may_be_elsewhere() {
    let connection = McpServer::new("s").tool(add_elsewhere).connect();
    let result = call(&connection, "add_elsewhere", &json!({"a": 1, "b": 2})).await;
    assert_eq!(result, json!({"content": [{"type": "text", "text": "3"}]}));
}

/// What a shop has.
#[derive(Default)]
struct Shop {
    sold: Mutex<u32>,
}

#[tools]
impl Shop {
    /// Sells.
    #[tool(destructive)]
    async fn sell(
        &self,
        context: ToolContext,
        /// How many.
        #[arg(default = 1u8)]
        count: u32,
    ) -> String {
        let sold = self.add(count);
        format!("{} {sold}", context.tool_name())
    }

    /// Counts what was sold.
    #[tool(name = "count-sold", read_only)]
    async fn count(&self) -> Value {
        json!({"sold": self.add(0)})
    }

    /// Takes an order.
    #[tool]
    async fn order(&self, order: Order) -> Result<u32, ToolError> {
        let counts = order.items.iter().map(|item| u32::from(item.count));
        Ok(self.add(counts.sum()))
    }

    #[cfg(any())]
    /// Is not there.
    #[tool]
    async fn left_out(&self) {}

    fn add(&self, count: u32) -> u32 {
        let mut sold = self.sold.lock().unwrap();
        *sold += count;
        *sold
    }
}

#[tokio::test]
async fn methods_share_the_state_of_their_type() {
    let shop = Arc::new(Shop::default());
    let server = McpServer::new("s").tool_set(Arc::clone(&shop));
    let names: Vec<String> = server.tool_names().collect();
    assert_eq!(
        names,
        ["mcp__s__sell", "mcp__s__count-sold", "mcp__s__order"]
    );
    let definition = serde_json::to_value(server.tools()[0].definition()).unwrap();
    assert_eq!(definition["description"], "Sells.");
    assert_eq!(definition["annotations"]["destructiveHint"], true);
    let count = &definition["inputSchema"]["properties"]["count"];
    assert_eq!(count["description"], "How many.");
    assert_eq!(count["default"], 1);

    let connection = server.connect();
    let sold = call(&connection, "sell", &json!({"count": 2})).await;
    assert_eq!(sold["content"][0]["text"], "sell 2");
    let sold = call(&connection, "sell", &json!({})).await;
    assert_eq!(sold["content"][0]["text"], "sell 3");
    let items = json!([{"name": "tea", "count": 4}]);
    let order = json!({"customer": "Ada", "items": items});
    call(&connection, "order", &order).await;
    let count = call(&connection, "count-sold", &json!({})).await;
    assert_eq!(count["structuredContent"], json!({"sold": 7}));
    // The program shares the state, and the methods can be called directly.
    assert_eq!(shop.count().await, json!({"sold": 7}));
    assert_eq!(*shop.sold.lock().unwrap(), 7);
}

struct Kept<T>(T);

#[tools(crate = "prelude::claw")]
impl<T> Kept<T>
where
    T: std::fmt::Display + Send + Sync + 'static,
{
    /// Shows it.
    #[tool]
    async fn show(&self) -> String {
        self.0.to_string()
    }
}

#[tokio::test]
async fn a_type_with_tools_may_be_generic() {
    let server = McpServer::new("s").tool_set(Arc::new(Kept(5)));
    let shown = call(&server.connect(), "show", &json!({})).await;
    assert_eq!(shown["content"][0]["text"], "5");
}

/// An output that implements `Serialize` and nothing else.
#[derive(serde::Serialize)]
#[serde(crate = "rusty_claw::serde")]
struct Sum<T> {
    sum: T,
}

/// Adds.
#[tool]
async fn sum(a: i64, b: i64) -> Sum<i64> {
    Sum { sum: a + b }
}

/// Adds what is there.
#[tool]
async fn sum_all(numbers: Vec<i64>) -> Result<Sum<i64>, String> {
    if numbers.is_empty() {
        return Err("Give a number.".to_owned());
    }
    Ok(Sum {
        sum: numbers.iter().sum(),
    })
}

/// Lists sums.
#[tool]
async fn sums() -> Vec<Sum<i64>> {
    vec![Sum { sum: 1 }]
}

#[tools]
impl<T> Sum<T>
where
    T: serde::Serialize + Clone + Send + Sync + 'static,
{
    /// Tells the sum.
    #[tool]
    async fn value(&self) -> Sum<T> {
        Sum {
            sum: self.sum.clone(),
        }
    }
}

#[tokio::test]
async fn a_struct_is_structured_content_and_text() {
    let server = McpServer::new("s").tool(sum).tool(sum_all).tool(sums);
    let connection = server.tool_set(Arc::new(Sum { sum: 3 })).connect();
    let structured = |value: Value| {
        let text = value.to_string();
        json!({"content": [{"type": "text", "text": text}], "structuredContent": value})
    };
    for (tool, arguments, expected) in [
        ("sum", json!({"a": 1, "b": 2}), json!({"sum": 3})),
        ("sum_all", json!({"numbers": [1, 2]}), json!({"sum": 3})),
        ("sums", json!({}), json!({"result": [{"sum": 1}]})),
        ("value", json!({}), json!({"sum": 3})),
    ] {
        let result = call(&connection, tool, &arguments).await;
        assert_eq!(result, structured(expected), "{tool}");
    }
    // `Result<Sum, String>` is `Serialize` as well; its error is still a failed call.
    let result = call(&connection, "sum_all", &json!({"numbers": []})).await;
    assert_eq!(
        result,
        json!({"content": [{"type": "text", "text": "Give a number."}], "isError": true})
    );
}
