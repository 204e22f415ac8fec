import { Failure } from "../../protocol/failure.ts";
import {
  memberRequest,
  memoryChange,
  memoryLine,
  newMemberRequest,
  newProjectRequest,
  type Project,
  type Projects,
  projectChange,
} from "../../protocol/projects.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { accountsOf } from "../dependencies.ts";
import { fileHeaders } from "../file-headers.ts";
import { readUpload } from "../upload.ts";
import { beginUpload, filesOf, sendFile } from "./files.ts";

/** The caller's projects, and what is remembered about them. */
export function projectRoutes(): Route[] {
  return [
    route("GET /projects", async (c) => {
      const { projects } = await mine(c);
      return c.json({ projects: (await projects.list()).map(shown) });
    }),
    route("POST /projects", async (c) => {
      const request = await readRequest(c, newProjectRequest);
      const { projects } = await mine(c);
      return c.json(shown(await projects.create(request)), 201);
    }),
    route("GET /projects/:id", async (c) => {
      const { projects, id } = await mine(c);
      return c.json(shown(await projects.get(id)));
    }),
    route("PATCH /projects/:id", async (c) => {
      const change = await readRequest(c, projectChange);
      const { projects, id } = await mine(c);
      return c.json(shown(await projects.change(id, change)));
    }),
    route("DELETE /projects/:id", async (c) => {
      const { projects, id } = await mine(c);
      await projects.remove(id);
      return c.body(null, 204);
    }),
    ...fileRoutesOfProjects(),
    ...memberRoutes(),
    ...memoryRoutes(),
  ];
}

function fileRoutesOfProjects(): Route[] {
  return [
    route("GET /projects/:id/files", async (c) => {
      const { projects, id } = await mine(c);
      return c.json({ files: await projects.files(id) });
    }),
    route("POST /projects/:id/files", async (c) => {
      const { projects, id } = await mine(c);
      await projects.get(id, "write");
      const { files, put } = await beginUpload(c);
      const file = await put(await readUpload(c.req.raw, c.env?.incoming, files.maxBytes));
      return c.json(await projects.addFile(id, file, c.get("server").closing), 201);
    }),
    route("GET /projects/:id/files/:fileId", async (c) => {
      const { projects, id } = await mine(c);
      const file = await projects.file(id, pathParameter(c, "fileId"));
      return sendFile(filesOf(c), file, { ...fileHeaders(file), "content-length": String(file.size) });
    }),
    route("DELETE /projects/:id/files/:fileId", async (c) => {
      const { projects, id } = await mine(c);
      await projects.removeFile(id, pathParameter(c, "fileId"));
      return c.body(null, 204);
    }),
  ];
}

function memberRoutes(): Route[] {
  return [
    route("GET /projects/:id/members", async (c) => {
      const { projects, id } = await mine(c);
      return c.json({ members: await listedMembers(c, projects, id) });
    }),
    route("POST /projects/:id/members", async (c) => {
      const request = await readRequest(c, newMemberRequest);
      const { projects, id, principal } = await mine(c);
      await projects.get(id, "owner");
      if (principal.kind === "guest") throw new Failure("FORBIDDEN", "Sign in to share a project.");
      const userId = await accountFor(c, request);
      await projects.setMember(id, userId, request.access);
      aboutAct(c, { subject: { target: id, member: userId, access: request.access } });
      return c.json({ members: await listedMembers(c, projects, id) }, 201);
    }),
    route("PATCH /projects/:id/members/:userId", async (c) => {
      const { access } = await readRequest(c, memberRequest);
      const { projects, id } = await mine(c);
      const userId = pathParameter(c, "userId");
      if (!(await projects.members(id)).some((member) => member.userId === userId))
        throw new Failure("NOT_FOUND", "There is no such member.");
      await projects.setMember(id, userId, access);
      aboutAct(c, { subject: { target: id, member: userId, access } });
      return c.json({ members: await listedMembers(c, projects, id) });
    }),
    route("DELETE /projects/:id/members/:userId", async (c) => {
      const { projects, id, principal } = await mine(c);
      const named = pathParameter(c, "userId");
      const userId = named === "me" ? principal.id : named;
      await projects.setMember(id, userId);
      aboutAct(c, { subject: { target: id, member: userId } });
      return c.body(null, 204);
    }),
  ];
}

function memoryRoutes(): Route[] {
  const forget = async (c: HttpContext, id: string | undefined) => {
    await (await mine(c)).projects.forget(id);
    return c.body(null, 204);
  };
  return [
    route("GET /me/memory", async (c) => c.json(await (await mine(c)).projects.memory())),
    route("PATCH /me/memory", async (c) => {
      const change = await readRequest(c, memoryChange);
      return c.json(await (await mine(c)).projects.changeMemory(change));
    }),
    route("DELETE /me/memory", (c) => forget(c, c.req.query("id"))),
    route("PATCH /me/memory/:id", async (c) => {
      const { text } = await readRequest(c, memoryLine);
      return c.json(await (await mine(c)).projects.changeMemory({ id: pathParameter(c, "id"), text }));
    }),
    route("DELETE /me/memory/:id", (c) => forget(c, pathParameter(c, "id"))),
  ];
}

/** The caller's projects, and the id in the address. */
async function mine(c: HttpContext) {
  const { deps } = c.get("server");
  const principal = await authenticate(c);
  const id = (c.req.param() as { id?: string }).id ?? "";
  if (deps.projectsFor) return { projects: deps.projectsFor(principal), principal, id };
  throw new Failure("NOT_FOUND", "This server keeps no projects.");
}

/** Returns the account that a request means. Only accounts of this server can be members. */
async function accountFor(
  c: HttpContext,
  { email, userId }: { email?: string | undefined; userId?: string | undefined },
): Promise<string> {
  const accounts = accountsOf(c);
  const known =
    email === undefined
      ? userId !== undefined && (await accounts.get(userId))
      : (await accounts.list({ limit: 50, offset: 0, query: email })).users.find(
          (user) => user.email.toLowerCase() === email,
        );
  if (known) return known.id;
  throw new Failure("NOT_FOUND", "Nobody on this server has an account with this address.");
}

async function listedMembers(c: HttpContext, projects: Projects, id: string) {
  const members = await projects.members(id);
  const { accounts } = c.get("server").deps;
  return Promise.all(
    members.map(async ({ userId, access }) => {
      const account = await accounts?.get(userId);
      return { userId, access, ...(account ? { email: account.email, name: account.name } : {}) };
    }),
  );
}

/** A project without what only the server needs. */
function shown({ instructionsBy: _, memory: __, ...project }: Project) {
  return project;
}
