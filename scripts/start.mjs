// `npm start`: from a fresh clone to a running server.
import { becomeTackle, install } from "./setup.mjs";

install();
becomeTackle(["serve", ...process.argv.slice(2)]);
