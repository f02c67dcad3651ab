/** Executables of this machine that tests compare with. */
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Path of an executable; undefined if there is none on the PATH. */
export function onPath(name: string): string | undefined {
  const files = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, name))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
