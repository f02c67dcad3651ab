/**
 * Snapshots: configurations of devices from a scenario file, or from a folder or an archive with files of real devices.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { configSnapshots, topologyOf } from '../../lab/index.ts'
import { fabricSnapshot, type Snapshot } from '../../doctor/index.ts'
import { collectedFabric } from '../doctor/collected-fabric.ts'
import { collectedInput } from '../doctor/collected-folder.ts'
import { isPacked } from '../doctor/found.ts'
import { located, openScenario, readScenario } from '../files/scenario-file.ts'

/** Mistakes that only the network shows are found with the snapshots. */
export async function snapshotsIn(directory: string, file: string): Promise<Iterable<Snapshot>> {
  if (!isPacked(file) && !isFolder(directory, file)) return snapshotsOfScenario(directory, file)
  const collected = await collectedInput(directory, file)
  return [fabricSnapshot(collectedFabric(collected, file), collected.edges.length > 0)]
}

function* snapshotsOfScenario(directory: string, file: string): Generator<Snapshot> {
  const text = readScenario(openScenario(directory, file))
  const snapshots = located(text, () => configSnapshots(text.scenario, topologyOf(text.scenario)))
  for (;;) {
    const next = located(text, () => snapshots.next())
    if (next.done === true) return
    yield next.value
  }
}

/** False for a path that cannot be read, too: the mistake is reported when it is opened. */
function isFolder(directory: string, file: string): boolean {
  try {
    return file !== '-' && statSync(path.resolve(directory, file)).isDirectory()
  } catch {
    return false
  }
}
