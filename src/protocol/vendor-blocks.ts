// Types of blocks that say something about the text before them. Others are what the vendor's own tools did.

/** The places that the text before it cites. The text ends there. */
export const CITATIONS = "citations";

/** How likely the tokens of the text before it were. */
export const LOGPROBS = "logprobs";
