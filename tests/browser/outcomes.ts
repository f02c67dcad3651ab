/**
 * Outcomes of the rooms below the command line, as lines to compare between engines: runs in Node from source, and packed
 * into one script in a bare JavaScript engine and in a browser.
 */
import { Digest } from '../../src/core/engine/index.ts'
import { exporters } from '../../src/exporters/index.ts'
import { importers } from '../../src/importers/index.ts'
import { run } from '../../src/lab/index.ts'
import { expectText } from '../../src/doctor/answers/expect-text.ts'
import { expectationOf, simulationOfFabric } from '../../src/doctor/expect/index.ts'
import { cdfFigure } from '../../src/show/figure/index.ts'
import { summaryText } from '../../src/show/index.ts'
import { completionsOf, type Result, resultFiles, summarize } from '../../src/core/results/index.ts'
import { formatScenario, parseScenario } from '../../src/lab/scenario/index.ts'

/** Scenario texts to run, files to import and run, and logs of measurements with lines about their fabrics. */
export interface Work {
  readonly scenarios: readonly string[]
  readonly imports: readonly { readonly path: string; readonly files: Readonly<Record<string, string>> }[]
  readonly logs: readonly { readonly text: string; readonly fabric: string }[]
}

/** A line per run: name, digest of the events, and hashes of the result's files, exports, summary and curve; and per log. */
export function outcomes({ scenarios, imports, logs }: Work): string[] {
  const hpcc = importers.find(({ name }) => name === 'hpcc')!
  const imported = imports.map(({ path, files }) =>
    parseScenario(JSON.stringify(hpcc.import({ path, readFile: (file) => files[file], options: {} }).scenario)),
  )
  const judged = logs.map(({ text, fabric }) => {
    const expectation = expectationOf({ groups: [[{ file: 'log', text }]], fabric })
    const plan = simulationOfFabric(fabric)
    const pieces = [JSON.stringify(expectation), expectText(expectation, {}), [...(plan?.runs.keys() ?? [])].join('\n')]
    return `${fabric} ${expectation.answers[0]?.verdict} ${pieces.map((piece) => hashOf(bytes(piece))).join(' ')}`
  })
  const runs = [...scenarios.map((text) => parseScenario(text)), ...imported].map((scenario) => {
    const result = run(scenario)
    const text = formatScenario(scenario)
    const cost = { cpuSeconds: 1, wallSeconds: 1, peakRssBytes: 1 }
    const pieces = [
      ...resultFiles(result, { scenarioText: text }).map(({ data }) => data),
      ...exporters.flatMap((exporter) => exporter.export(result)).map((file) => bytes(file.text)),
      bytes(summaryText(result, summarize(result), cost, {})),
      bytes(linesOf(result)),
    ]
    return `${scenario.name} ${result.digest} ${pieces.map(hashOf).join(' ')}`
  })
  return [...runs, ...judged]
}

/** A figure without its offset, which differs by half a pixel, as Plot adapts it to the resolution of the screen. */
function linesOf(result: Result): string {
  const values = completionsOf(result).completionPs
  const svg = cdfFigure({ title: '', xLabel: 'completion time (ps)', curves: [{ series: 'flows', values }] })
  return Array.from(svg.matchAll(/ d="([^"]+)"/g), ([, line]) => line).join('\n')
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function hashOf(data: Uint8Array): string {
  const digest = new Digest()
  data.forEach((byte, at) => digest.add(at, byte, 0))
  return digest.text()
}
