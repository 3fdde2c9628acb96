//! Numbers that do not fit where they stand, and texts that are no numbers.

use super::{Collector, RESULT_SUCCESS, with_last};

pub(super) fn add(out: &mut Collector) {
    // Each in an integer, in a count of tokens, in a float and in a member nobody knows.
    let numbers = [
        ("an integer beyond 64 bits", "18446744073709551616"),
        (
            "an integer of 40 digits",
            "1234567890123456789012345678901234567890",
        ),
        ("the largest 64-bit integer", "18446744073709551615"),
        ("a negative count", "-1"),
        ("an integer below 64 bits", "-9223372036854775809"),
        ("a fractional integer", "1614.75"),
        ("an integer written as a float", "7.0"),
        ("an exponent", "1E+3"),
        ("a tiny exponent", "1e-400"),
        ("a number beyond every float", "1e999"),
        ("a negative number beyond every float", "-1e999"),
        ("minus zero", "-0"),
        ("an integer no float can hold", "9007199254740993"),
        ("a long fraction", "0.1000000000000000055511151231257827"),
    ];
    for (name, number) in numbers {
        let line = RESULT_SUCCESS
            .replace("1614", number)
            .replace("\"num_turns\":1", &format!("\"num_turns\":{number}"))
            .replace("0.0123", number)
            .replace(
                "\"output_tokens\":28",
                &format!("\"output_tokens\":{number}"),
            );
        let line = with_last(&line, &format!("\"new_counter\":[{number}]"));
        out.message(format!("{name} in every number"), line, "result");
    }
    let digits = "9".repeat(10_000);
    out.message(
        "a number of ten thousand digits",
        RESULT_SUCCESS.replace("1614", &digits),
        "result",
    );
    let not_numbers = [
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("minus Infinity", "-Infinity"),
        ("a leading zero", "01"),
        ("a leading plus", "+1"),
        ("a leading point", ".5"),
        ("a point at the end", "1."),
        ("a hexadecimal number", "0x10"),
        ("an exponent without digits", "1e"),
        ("a minus alone", "-"),
        ("digits with separators", "1_000"),
        ("a BigInt", "10n"),
        ("undefined", "undefined"),
        ("True of Python", "True"),
        ("None of Python", "None"),
    ];
    for (name, text) in not_numbers {
        out.refused(
            format!("{name} as a value"),
            RESULT_SUCCESS.replace("1614", text),
        );
    }
}
