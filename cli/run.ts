// stepgate: finds the command, reads its arguments, turns what went wrong into a sentence and an exit code.
import packageJson from '../package.json' with { type: 'json' };
import { SetupError } from '../local/setup-error.ts';
import { didYouMean } from '../shared/engine/model/strict.ts';
import { loadFile } from '../shared/reading/load-file.ts';
import { readArguments } from './arguments.ts';
import { type Command, EXIT, FileError, ServerError, type Streams, UsageError } from './command.ts';
import { graph } from './commands/graph.ts';
import { history } from './commands/history.ts';
import { publish } from './commands/publish.ts';
import { replay } from './commands/replay.ts';
import { run as runWorkflow } from './commands/run.ts';
import { signal } from './commands/signal.ts';
import { start } from './commands/start.ts';
import { tail } from './commands/tail.ts';
import { tasks } from './commands/tasks.ts';
import { test } from './commands/test.ts';
import { token } from './commands/token.ts';
import { validate } from './commands/validate.ts';
import { watch } from './commands/watch.ts';
import { commandHelp, overview } from './help.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  token,
  validate,
  test,
  graph,
  publish,
  run: runWorkflow,
  signal,
  watch,
  tasks,
  tail,
  history,
  replay,
};

/** The exit code; later, for a command that waits for something. */
export function run(args: readonly string[], streams: Streams): number | Promise<number> {
  try {
    const code = dispatch(args, streams);
    return typeof code === 'number' ? code : code.catch((error: unknown) => explain(error, streams));
  } catch (error) {
    return explain(error, streams);
  }
}

function explain(error: unknown, streams: Streams): number {
  if (error instanceof UsageError) {
    streams.err(`${error.message}\nRun "stepgate --help" to see what there is.`);
    return EXIT.usage;
  }
  if (error instanceof FileError || error instanceof SetupError || error instanceof ServerError) {
    if (error instanceof ServerError && error.answer !== null) streams.out(error.answer);
    streams.err(error.message);
    return EXIT.failed;
  }
  throw error;
}

function dispatch(args: readonly string[], streams: Streams): number | Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    streams.err(overview(COMMANDS));
    return EXIT.usage;
  }
  if (first === '--version' || first === '-v') {
    streams.out(packageJson.version);
    return EXIT.ok;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    streams.out(overview(COMMANDS));
    return EXIT.ok;
  }
  const asked = first === 'help' ? (rest[0] ?? '') : first;
  const command = Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined;
  if (command === undefined) throw unknown(asked);
  const { files, flags, lists } = readArguments(asked, command, first === 'help' ? ['--help'] : rest);
  if (flags['help']) {
    streams.out(commandHelp(command));
    return EXIT.ok;
  }
  return command.run({ files, flags, lists, streams, read: loadFile });
}

function unknown(word: string): UsageError {
  if (word.startsWith('-'))
    return new UsageError(`stepgate has no option ${word}${didYouMean(word, ['--help', '--version'])}.`);
  return new UsageError(`stepgate has no command "${word}"${didYouMean(word, Object.keys(COMMANDS))}.`);
}
