// `npm start`: from a fresh clone to a running server.
import { becomeTackle, buildVendor, install } from "./setup.mjs";

install();
buildVendor();
becomeTackle(["serve", ...process.argv.slice(2)]);
