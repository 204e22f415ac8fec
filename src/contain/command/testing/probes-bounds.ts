import { type Probe, probe } from "./probe.ts";

const MEGABYTE = 1024 * 1024;
const FEW_FILES = { limits: { diskFiles: 2_000 } };
const LITTLE_DISK = { limits: { diskBytes: 60 * MEGABYTE } };
const LITTLE_MEMORY = { limits: { totalMemoryBytes: 400 * MEGABYTE } };

/** Makes empty files in a folder that Python names. */
const makeFiles = (folder: string) => `
folder = os.path.join(${folder}, "many")
os.mkdir(folder)
for i in range(200000): os.close(os.open("%s/%d" % (folder, i), os.O_CREAT | os.O_WRONLY))
got()`;
const fill = (folder: string) => `
for n in range(20):
    with open(os.path.join(${folder}, "fill-%d" % n), "wb") as f:
        for i in range(40): f.write(bytes(1 << 20))
    time.sleep(0.1)
got()`;

/** What a command can use up. Without a sandbox they would harm the machine, so they are not tried there. */
export const BOUND_PROBES: readonly Probe[] = [
  bound("make 200,000 files", makeFiles('"."'), FEW_FILES),
  bound("make 200,000 temporary files", makeFiles("tempfile.gettempdir()"), FEW_FILES),
  bound("make 200,000 files in memory", makeFiles('"/dev/shm"'), FEW_FILES),
  bound("write 800 MB", fill('"."'), LITTLE_DISK),
  bound("write 800 MB of temporary files", fill("tempfile.gettempdir()"), LITTLE_DISK),
  bound(
    "fill memory with files that have no name",
    `
files = []
for n in range(40):
    files.append(os.memfd_create("x"))
    for i in range(40): os.write(files[-1], bytes(1 << 20))
    time.sleep(0.05)
got()`,
    LITTLE_MEMORY,
  ),
  bound(
    "fill memory with many processes",
    `
for n in range(6):
    if os.fork() == 0: m = mmap.mmap(-1, 150 << 20); m.write(bytes(150 << 20)); time.sleep(60); os._exit(0)
time.sleep(8); got()`,
    LITTLE_MEMORY,
  ),
  bound("use the processor without end", "while time.process_time() < 4: pass\ngot()", {
    limits: { cpuSeconds: 1 },
  }),
  bound("open 2,000 files", "files = [os.open('probe.py', 0) for i in range(2000)]; got()"),
  bound("make a large file with a hole", "open('hole', 'w').truncate(60 << 20); got()"),
  bound(
    "start 300 threads",
    "import threading\nfor i in range(300): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()\ngot()",
  ),
  bound("print without end", "for i in range(200): print('x' * 100000)\ngot()", {
    limits: { outputBytes: 5_000_000 },
  }),
  bound(
    "raise the number of processes",
    "resource.setrlimit(resource.RLIMIT_NPROC, (100000, 100000)); got()",
  ),
];

function bound(name: string, code: string, options: Probe["options"] = {}): Probe {
  return probe(name, "nobody", () => code, { options });
}
