// `npm start`: from a fresh clone to a running server.
import { becomeTackle, buildVendor, buildWeb, install } from "./setup.mjs";

install("run");
buildVendor();
buildWeb();
becomeTackle(["serve", ...process.argv.slice(2)]);
