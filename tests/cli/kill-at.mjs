/**
 * Loaded before the program (`node --import`): looks at the moments of the folder ROCELAB_WATCHED (moments.mjs).
 * With ROCELAB_PHOTOS the folder is copied at each of them to PHOTOS/NUMBER; with ROCELAB_KILL_AT the process is killed
 * at that of the number.
 */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { watchMoments } from './moments.mjs'

const { ROCELAB_WATCHED: watched = '', ROCELAB_PHOTOS: photos, ROCELAB_KILL_AT: killAt } = process.env

if (isMainThread) {
  watchMoments(watched, (moment) => {
    if (moment === Number(killAt)) process.kill(process.pid, 'SIGKILL')
    if (photos !== undefined) {
      cpSync(watched, path.join(photos, String(moment)), { recursive: true, verbatimSymlinks: true })
    }
  })
}
