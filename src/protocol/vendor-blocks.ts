// Types of blocks that say something about the text before them. Others are what the vendor's own tools did.

/** The places that the text before it cites. The text ends there. */
export const CITATIONS = "citations";

/** How likely the tokens of the text before it were. */
export const LOGPROBS = "logprobs";
/** Asks a vendor of Responses for them. */
export const INCLUDED_LOGPROBS = "message.output_text.logprobs";

/** The text behind it is not an answer: the model refuses, in OpenAI's own field for that. */
export const REFUSAL = "refusal";

/** What a vendor of Messages says about its whole answer: `message` has fields of the message, `usage` and `calls` those of its usage and of each call. */
export const MESSAGE_FACTS = "message_facts";

/** What a vendor of Responses runs itself, as clients of Responses know it. */
export const VENDOR_CALLS: ReadonlySet<string> = new Set([
  "file_search_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_call",
]);
