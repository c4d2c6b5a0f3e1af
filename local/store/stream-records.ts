// Keeps dynoxide's stream table fast: it has no index of its own and never forgets.
//   R1  The newest record of a table stays, whatever its age: dynoxide counts sequence numbers on from it.
import { DatabaseSync } from '@photostructure/sqlite';
import { dynoxideFile } from './dynoxide.ts';

const BUSY_MS = 5_000;

const INDEX = `CREATE INDEX IF NOT EXISTS stepgate_stream_order
  ON _stream_records(table_name, CAST(sequence_number AS INTEGER))`;

/** A little at a time: while it runs, nobody else can write. */
const TRIM = `DELETE FROM _stream_records WHERE id IN (
  SELECT id FROM _stream_records
  WHERE table_name = :table
    AND CAST(sequence_number AS INTEGER) <= CAST(:seen AS INTEGER)
    AND CAST(sequence_number AS INTEGER) <
      (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = :table)
    AND created_at < :before
  ORDER BY CAST(sequence_number AS INTEGER) LIMIT 500)`;

export function indexStreamRecords(dataDir: string): void {
  withDatabase(dataDir, (database) => database.exec(INDEX));
}

/** Forgets what every consumer has `seen`, up to that sequence number, if older than `before` (epoch seconds). */
export function trimStreamRecords(dataDir: string, table: string, seen: string, before: number): number {
  return withDatabase(dataDir, (database) => {
    const trim = database.prepare(TRIM);
    let forgotten = 0;
    for (;;) {
      const changes = Number(trim.run({ table, seen, before }).changes);
      if (changes === 0) return forgotten;
      forgotten += changes;
    }
  });
}

function withDatabase<T>(dataDir: string, use: (database: InstanceType<typeof DatabaseSync>) => T): T {
  const database = new DatabaseSync(dynoxideFile(dataDir), { timeout: BUSY_MS });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
