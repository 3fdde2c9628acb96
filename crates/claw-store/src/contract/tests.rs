//! The tests, by their numbers in the contract.

use super::bench::{self, Bench};
use super::{Capability, Test};

mod directory;
mod engine;
mod follow;
mod inbox;
mod interactions;
mod log;
mod nodes;
mod reads;
mod tenants;

tests! {
    log {
        1 append_returns_dense_sequences None
        2 batch_is_stored_whole_or_not_at_all None
        3 stale_claim_stores_nothing None
        4 repeated_append_stores_once None
        5 concurrent_sessions_do_not_mix None
        6 one_of_16_racing_claims_is_valid None
        7 zombie_stores_nothing_after_200_claims None
        8 void_frames_are_invisible_and_counted VoidFrames
    }
    reads {
        9 reads_start_at_any_sequence CutHistory
        10 truncated_history_is_reported CutHistory
        11 bodies_of_any_size_and_content_are_stored None
        12 all_readers_see_the_order_of_appends None
    }
    follow {
        13 history_and_live_events_join_without_a_gap None
        14 slow_follower_gets_behind_and_every_event None
        15 lost_live_messages_are_noticed LoseLive
        16 followers_share_one_subscription Subscriptions
        17 rejected_append_is_never_followed None
        18 follower_survives_leader_change_and_restart LeaderChange
    }
    inbox {
        19 repeated_command_is_stored_once None
        20 commands_of_two_nodes_keep_their_order None
        21 command_waits_for_an_owner None
        22 unapplied_commands_are_delivered_again None
        23 inbox_is_bounded None
    }
    interactions {
        24 one_of_100_answers_wins None
        25 closed_interaction_is_not_answered None
        26 pending_interactions_survive None
        27 expired_interactions_are_listed_and_closed None
    }
    directory {
        28 create_is_idempotent None
        29 one_of_several_updates_succeeds None
        30 paging_is_stable_under_writes None
        31 erased_session_is_gone None
    }
    nodes {
        32 sessions_of_a_dead_node_need_an_owner None
        33 outage_kills_no_node Outage
        34 paused_node_is_in_doubt_and_then_dead None
        35 wall_clocks_have_no_effect None
    }
    engine {
        36 acknowledged_events_survive_a_kill Kill
        37 acknowledged_events_survive_a_power_cut PowerCut
        38 full_disk_stops_writes_only FullDisk
        39 transcript_survives_byte_for_byte None
        40 restored_backup_is_complete Backup
        41 old_data_is_migrated OldSchema
        42 durability_reports_weak_settings Misconfiguration
    }
    tenants {
        43 other_tenants_find_nothing None
    }
}
