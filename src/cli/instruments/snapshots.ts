/**
 * Snapshots: configurations of devices from a scenario file.
 */
import { configSnapshots, topologyOf } from '../../lab/index.ts'
import type { Snapshot } from '../../ops/index.ts'
import { located, openScenario, readScenario } from '../files/scenario-file.ts'

/** Mistakes that only the network shows are found with the snapshots. */
export function* snapshotsIn(directory: string, file: string): Generator<Snapshot> {
  const text = readScenario(openScenario(directory, file))
  const snapshots = located(text, () => configSnapshots(text.scenario, topologyOf(text.scenario)))
  for (;;) {
    const next = located(text, () => snapshots.next())
    if (next.done === true) return
    yield next.value
  }
}
