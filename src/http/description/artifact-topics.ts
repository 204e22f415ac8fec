import { ISOLATED_PAGE, type Topic } from "./descriptions.ts";

const SCRIPT = { type: "text/javascript", says: "The module. It never changes under its name." };
export const BYTES = { type: "application/octet-stream", says: "The file, or the requested range." };
export const UPLOAD = {
  type: "multipart/form-data",
  says: "One part named `file`. You can also send the bytes alone with their own content type.",
};
const VERSION = { version: "The version. The default is the newest." };
const KEY = { ...VERSION, key: "The key in `previewUrl`." };

/** The routes of artifacts and files. */
export const ARTIFACT_TOPICS: Record<string, Topic> = {
  artifacts: {
    title: "Artifacts, their versions and their pages",
    routes: {
      "GET /artifacts/frame": {
        summary: "An empty frame that shows a component",
        200: ISOLATED_PAGE,
        open: true,
      },
      "GET /artifacts/drawing": {
        summary: "An empty frame that draws diagrams",
        200: ISOLATED_PAGE,
        open: true,
      },
      "GET /artifacts/:id": { summary: "Returns an artifact", query: VERSION, 200: "Artifact" },
      "GET /artifacts/:id/versions": { summary: "Lists the versions, oldest first", 200: "ArtifactVersions" },
      "POST /artifacts/:id/versions": {
        summary: "Saves your own edit as a new version, after the same checks",
        body: "NewArtifactVersion",
        201: "Artifact",
      },
      "POST /artifacts/:id/versions/:version/restore": {
        summary: "Makes an old version the newest again",
        201: "Artifact",
      },
      "GET /artifacts/:id/diff": {
        summary: "Returns the unified diff of two versions",
        query: {
          from: "A version. The default is the one before `to`.",
          to: "A version. The default is the newest.",
        },
        200: "ArtifactDiff",
      },
      "GET /artifacts/:id/compiled": {
        summary: "Returns the code that the empty frame runs",
        query: VERSION,
        200: "CompiledArtifact",
      },
      "GET /artifacts/:id/preview": {
        summary: "The page that shows the artifact inside a frame",
        query: { ...VERSION, key: "The key in `previewUrl`, instead of credentials." },
        200: ISOLATED_PAGE,
      },
      "GET /artifacts/:id/view": {
        summary: "The page that shows the artifact on its own",
        query: KEY,
        200: ISOLATED_PAGE,
        open: true,
      },
      "GET /vendor/:file": { summary: "A module that artifacts import", 200: SCRIPT, open: true },
    },
  },
  apps: {
    title: "Interfaces of MCP tools",
    routes: {
      "GET /runs/:id/apps/:toolCallId": {
        summary: "Returns what shows the interface of a call's tool",
        200: "App",
      },
      "POST /runs/:id/apps/:toolCallId/calls": {
        summary:
          "Makes a call that the interface asked for. Answers with the result, or with what a person has to approve first: then send the same again, with the `decision` and the `argumentsHash`",
        body: "AppCall",
        200: "AppCallAnswer",
      },
      "POST /runs/:id/apps/:toolCallId/resources": {
        summary: "Reads a resource of the interface's own server",
        body: "ResourceRequest",
        200: "ResourceContents",
      },
      "GET /artifacts/apps/:id/:toolCallId": {
        summary: "The page of the interface, inside a frame",
        query: { key: "The key in `pageUrl`." },
        200: ISOLATED_PAGE,
        open: true,
      },
    },
  },
  files: {
    title: "Files",
    routes: {
      "POST /files": { summary: "Uploads a file", body: UPLOAD, 201: "File" },
      "GET /files": { summary: "Lists your files, newest first", 200: "Files" },
      "GET /files/:id": {
        summary: "Downloads a file by its signed URL",
        query: { exp: "When the URL expires, in epoch seconds.", sig: "The signature." },
        200: BYTES,
        open: true,
      },
      "DELETE /files/:id": { summary: "Deletes a file", 204: "nothing" },
    },
  },
};
