/**
 * Snapshots: configurations of devices from a scenario file, or from a folder with files of real devices.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../base/issue.ts'
import { configSnapshots, topologyOf } from '../../lab/index.ts'
import { fabricOf, fabricSnapshot, type Snapshot } from '../../ops/index.ts'
import { collectedFolder } from '../doctor/collected-folder.ts'
import { located, openScenario, readScenario } from '../files/scenario-file.ts'

/** Mistakes that only the network shows are found with the snapshots. */
export function* snapshotsIn(directory: string, file: string): Generator<Snapshot> {
  if (isFolder(directory, file)) {
    yield snapshotOfFolder(directory, file)
    return
  }
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

function snapshotOfFolder(directory: string, folder: string): Snapshot {
  const collected = collectedFolder(directory, folder)
  const fabric = fabricOf(collected.files(), collected.edges)
  if ([...fabric.devices.values()].every(({ forms }) => forms.length === 0))
    throw inputError(folder, 'files of hosts or switches', 'none that is known', 'see rocelab doctor --help')
  return fabricSnapshot(fabric, collected.edges.length > 0)
}
