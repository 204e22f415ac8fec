// `npm run tackle -- …` runs the command of this clone in the current folder.
import { becomeTackle, buildVendor, buildWeb, install } from "./setup.mjs";

install("run");
buildVendor();
buildWeb();
process.chdir(process.env.INIT_CWD ?? process.cwd());
becomeTackle(process.argv.slice(2));
