// `npm run tackle -- …`: the command of this clone, in the folder where it was called.
import { becomeTackle, install } from "./setup.mjs";

install();
process.chdir(process.env.INIT_CWD ?? process.cwd());
becomeTackle(process.argv.slice(2));
