import type { TextDelta } from "../generated.js";
import { byteLength, sliceBytes } from "../utf8.js";

/** The text of a block that is being written. It is always a prefix of the block. */
export interface Draft {
  readonly messageId: string;
  readonly block: number;
  readonly text: string;
  /** The length of the text in bytes of UTF-8. */
  readonly bytes: number;
  /** Pieces that arrived before the text that precedes them. */
  readonly ahead: readonly TextDelta[];
}

/** The most pieces of a block that are kept until the text before them arrives. */
const MAX_AHEAD = 256;

/** Adds a delta. Deltas may be lost, duplicated or reordered. */
export function addDelta(drafts: readonly Draft[], delta: TextDelta): readonly Draft[] {
  if (delta.retracted === true) {
    return drafts.filter((draft) => draft.messageId !== delta.message_id || draft.block < delta.block);
  }
  const place = drafts.findIndex((one) => one.messageId === delta.message_id && one.block === delta.block);
  const old = drafts[place] ?? {
    messageId: delta.message_id,
    block: delta.block,
    text: "",
    bytes: 0,
    ahead: [],
  };
  const draft = extend(old, delta);
  if (draft === old) return drafts;
  return place < 0 ? [...drafts, draft] : drafts.map((one, index) => (index === place ? draft : one));
}

function extend(draft: Draft, delta: TextDelta): Draft {
  if (delta.offset > draft.bytes) {
    if (draft.ahead.length >= MAX_AHEAD) return draft;
    return { ...draft, ahead: [...draft.ahead, delta] };
  }
  const known = draft.bytes - delta.offset;
  const text = known === 0 ? delta.text : sliceBytes(delta.text, known);
  if (text === "") return draft;
  const longer = { ...draft, text: draft.text + text, bytes: draft.bytes + byteLength(text), ahead: [] };
  return draft.ahead.reduce(extend, longer as Draft);
}
