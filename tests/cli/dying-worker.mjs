/** A worker that dies in the way that the scenario's text names. */
import { parentPort } from 'node:worker_threads'

parentPort.on('message', ({ id, scenarioText }) => {
  if (scenarioText === 'exit') process.exit(3)
  if (scenarioText === 'throw') throw new Error('thrown in a worker')
  if (scenarioText === 'memory') {
    const hoard = []
    for (;;) hoard.push(Array.from({ length: 1e6 }, () => ({})))
  }
  parentPort.postMessage({ type: 'failed', id, isInput: false, message: scenarioText }, [])
})
