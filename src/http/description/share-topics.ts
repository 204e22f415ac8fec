import { BYTES, ISOLATED_PAGE, type Topic } from "./descriptions.ts";

const READER = {
  type: "text/html",
  says: "The page for readers. With `Accept: application/json`, the copy alone.",
};

/** The routes of links and feedback. */
export const SHARE_TOPICS: Record<string, Topic> = {
  shares: {
    title: "Links to conversations",
    routes: {
      "GET /sessions/:id/share": {
        summary: "What sharing the conversation now would show, and its links",
        200: "SharePreview",
      },
      "POST /sessions/:id/share": {
        summary:
          "Copies the current branch, and returns a link to the copy. Anyone with the link can read it",
        body: "ShareRequest",
        201: "Share",
      },
      "GET /shares": { summary: "Lists your links, newest first", 200: "Shares" },
      "GET /shares/:id": { summary: "Returns a link of yours", 200: "Share" },
      "PATCH /shares/:id": {
        summary: "Changes what a link shows and when it ends. Its address stays",
        body: "ShareChange",
        200: "Share",
      },
      "DELETE /shares/:id": { summary: "Ends a link at once", 204: "nothing" },
      "GET /s/:token": {
        summary: "The copy behind a link",
        200: [READER, "SharedPage"],
        open: true,
      },
      "GET /s/:token/files/:fileId": { summary: "A file of the copy", 200: BYTES, open: true },
      "GET /s/:token/artifacts/:toolCallId": {
        summary: "The page of an artifact in the copy, for a frame",
        200: ISOLATED_PAGE,
        open: true,
      },
      "POST /s/:token/continue": {
        summary: "Copies what is behind a link into a conversation of yours",
        201: "Session",
      },
    },
  },
  branches: {
    title: "Branches",
    routes: {
      "GET /sessions/:id/tree": {
        summary: "Lists the messages of all branches, with their beginnings",
        200: "Tree",
      },
      "POST /sessions/:id/fork": {
        summary: "Makes a new conversation from the branch up to a message",
        body: "ForkRequest",
        201: "Session",
      },
    },
  },
  feedback: {
    title: "Feedback",
    routes: {
      "POST /messages/:id/feedback": {
        summary: "Says what you think of an answer. It replaces what you said before",
        body: "Feedback",
        200: "GivenFeedback",
      },
      "DELETE /messages/:id/feedback": { summary: "Takes your feedback back", 204: "nothing" },
    },
  },
};
