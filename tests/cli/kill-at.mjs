/**
 * Loaded before the program (`node --import`): watches the folder ROCELAB_WATCHED (moments.mjs). With ROCELAB_PHOTOS the
 * folder is copied to PHOTOS/NUMBER at each moment; with ROCELAB_KILL_AT the process is killed at the moment of that number.
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
