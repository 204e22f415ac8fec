export const HELP = `Tackle: a chat in which the model calls tools.

  tackle                    chat in this directory
  tackle -p "…"             one question, one answer; what is piped in is added to it
  tackle serve              the server and the web app, on http://127.0.0.1:8787
  tackle mcp                the tools for other programs, over MCP on standard input and output
  tackle tools              the tools that the model may call
  tackle models             the models there are, and how to get more
  tackle doctor             what is set up, reachable and missing, and how to fix it
  tackle policy test        whether the approval policy says what its own tests expect
  tackle backup FILE        everything in one file, also while the server runs
  tackle restore FILE       everything from such a file, into an empty database
  tackle migrate --to URL   everything into the PostgreSQL at URL; --force replaces what is there
  tackle replay FILE        what --record wrote, played again, and where it comes out otherwise

Chat and -p
  -c, --continue            go on with the last conversation
  --resume ID               go on with that conversation
  --model P/M               the model to ask, for example anthropic/claude-sonnet-4-5
  --allow-tool NAME[:PREFIX]  answer approvals of this tool with yes, where its command
                            begins with PREFIX; may be given more than once
  --server URL              join a server instead of running here (TACKLE_TOKEN: your key for it)
  --json                    with -p: one JSON event per line; with tools, models, doctor: JSON
  --record FILE             write down what is asked, answered and run, for tackle replay

Replay
  --model P/M               ask another model, and compare what it says and calls
  --tools live|NAME,…       run the recorded calls again, all or those of these tools
  --speed N                 1 takes the time that it took, 2 half of it; otherwise at once
  --allow-tool NAME[:PREFIX]  with --tools: also run calls that need an approval

Serve
  --port N  --host H        where to listen

Everywhere
  --data DIR                where conversations and settings are kept (TACKLE_DATA, ~/.tackle)
  -h, --help  -v, --version

replay leaves with 0 where all is the same, 1 where something is not, 2 for a file that is none.
-p leaves with 0, or 1 after an error, 2 for a wrong command line, 3 when a tool needed an
approval and was denied, 130 when interrupted.
`;
