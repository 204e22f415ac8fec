import { BYTES, UPLOAD } from "./artifact-topics.ts";
import type { Topic } from "./descriptions.ts";

/** The routes of projects, and of what is remembered. */
export const PROJECT_TOPICS: Record<string, Topic> = {
  projects: {
    title: "Projects and memory",
    routes: {
      "GET /projects": { summary: "Lists the projects that are yours or shared with you", 200: "Projects" },
      "POST /projects": { summary: "Creates a project", body: "NewProject", 201: "Project" },
      "GET /projects/:id": {
        summary: "Returns a project. `default` is your personal one, whose instructions hold everywhere",
        200: "Project",
      },
      "PATCH /projects/:id": {
        summary: "Changes a project; `null` removes a default",
        body: "ProjectChange",
        200: "Project",
      },
      "DELETE /projects/:id": {
        summary: "Deletes a project with its files. Its sessions stay",
        204: "nothing",
      },
      "GET /projects/:id/files": { summary: "Lists the files of a project", 200: "ProjectFiles" },
      "POST /projects/:id/files": {
        summary: "Adds a file, which models can then search. The body is as in `POST /files`",
        body: UPLOAD,
        query: { name: "The name of the file." },
        201: "ProjectFile",
      },
      "GET /projects/:id/files/:fileId": { summary: "Returns a file of a project", 200: BYTES },
      "DELETE /projects/:id/files/:fileId": {
        summary: "Deletes a file and what can be searched of it",
        204: "nothing",
      },
      "GET /projects/:id/members": {
        summary: "Lists whom a project is shared with. Only for its owner",
        200: "ProjectMembers",
      },
      "POST /projects/:id/members": {
        summary: "Shares a project with an account of this server, by its email address or id",
        body: "NewMember",
        201: "ProjectMembers",
      },
      "PATCH /projects/:id/members/:userId": {
        summary: "Changes what a member may do",
        body: "MemberChange",
        200: "ProjectMembers",
      },
      "DELETE /projects/:id/members/:userId": {
        summary: "Removes a member. `me` leaves a project that somebody else shares",
        204: "nothing",
      },
      "GET /me/memory": { summary: "What is remembered about you, line by line", 200: "Memory" },
      "PATCH /me/memory": {
        summary: "Switches memory on or off, changes a line, or adds one",
        body: "MemoryChange",
        200: "Memory",
      },
      "DELETE /me/memory": {
        summary: "Forgets everything",
        query: { id: "Forgets only this line." },
        204: "nothing",
      },
      "PATCH /me/memory/:id": { summary: "Changes a line", body: "MemoryLine", 200: "Memory" },
      "DELETE /me/memory/:id": { summary: "Forgets a line", 204: "nothing" },
    },
  },
};
