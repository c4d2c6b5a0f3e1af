// The dashboard looks for exactly the numbers that a finished instance is counted with, by the same dimensions.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { observeFinished } from '../../functions/edge/telemetry.ts';
import { createFolder, removeFolder, Synthesis } from './synthesis.ts';

/** CloudWatch's embedded metric format. */
interface Counted {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
}

let folder: string;
let body: string;
beforeAll(() => {
  folder = createFolder();
  const { DashboardBody } = new Synthesis(folder).only('AWS::CloudWatch::Dashboard').Properties as {
    DashboardBody: unknown;
  };
  body = JSON.stringify(DashboardBody);
});
afterAll(() => removeFolder(folder));
afterEach(() => vi.restoreAllMocks());

/** `{namespace,dimension,…} name`, the dimensions in order. */
function searched(): Set<string> {
  const found = body.matchAll(/SEARCH\('\{([\w,]+)\} MetricName=[\\"]+(\w+)/g);
  return new Set([...found].map(([, schema = '', name = '']) => `{${schema}} ${name}`));
}

function counted(): string[] {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  observeFinished({
    instance_id: 'i-1',
    workflow_id: 'line',
    status: 'completed',
    measured: {
      workflow_id: 'i-1',
      total_time_seconds: 420,
      step_times: [{ step: 1, duration_seconds: 420 }],
      retry_count: 1,
      human_approval_time_seconds: 30,
      agent_calls: 12,
      parallel_executions: 7,
    },
  });
  return lines
    .map((line) => JSON.parse(line) as object)
    .filter((line): line is Counted => '_aws' in line)
    .flatMap(({ _aws }) => _aws.CloudWatchMetrics)
    .flatMap(({ Namespace, Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.map(({ Name }) => `{${[Namespace, ...names.toSorted()].join(',')}} ${Name}`),
      ),
    );
}

it('shows every number of a finished instance', () => {
  const numbers = counted();
  expect(numbers).toHaveLength(7);
  const shown = searched();
  expect(numbers.filter((number) => !shown.has(number))).toEqual([]);
});
