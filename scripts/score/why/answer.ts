/**
 * Answer: what the program says of an incident, given its scenario alone. The one file that knows its form.
 */
import { why } from '../../../src/advice.ts'
import { run } from '../../../src/lab/index.ts'
import { parseScenario } from '../../../src/lab/scenario/index.ts'

/** Names of devices are the topology's; a link is named by both ends, a workload by its tag. */
export interface Said {
  readonly kind: string
  readonly device?: string
  readonly peer?: string
  readonly workload?: string
  readonly path?: string
}

export interface Answer {
  /** Unknown: it failed. */
  readonly verdict: 'causes' | 'load' | 'calm' | 'unknown'
  /** The first one first. */
  readonly causes: readonly Said[]
  /** Processor time of the answer, and of the run that it explains. */
  readonly seconds: number
  readonly runSeconds: number
  /** Digest of that run. */
  readonly digest: string
  readonly failure?: string
}

const secondsSince = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from)
  return Number(((user + system) / 1e6).toFixed(3))
}

/** @param text a scenario */
export async function answerOf(text: string): Promise<Answer> {
  const scenario = parseScenario(text)
  const start = process.cpuUsage()
  const result = run(scenario)
  const runSeconds = secondsSince(start)
  const { digest } = result
  const from = process.cpuUsage()
  try {
    const { verdict, causes } = await why(scenario, result, (all) => Promise.resolve(all.map((one) => run(one))))
    const said = causes.flatMap(({ suspects }) =>
      suspects.map(({ kind, device, port, workload, path }): Said => ({
        kind,
        ...(device !== null && { device }),
        ...(port !== null && { peer: port }),
        ...(workload !== null && { workload }),
        ...(path !== null && { path }),
      })),
    )
    return { verdict, causes: said, seconds: secondsSince(from), runSeconds, digest }
  } catch (error) {
    return { verdict: 'unknown', causes: [], seconds: secondsSince(from), runSeconds, digest, failure: String(error) }
  }
}
