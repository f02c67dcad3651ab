import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { expect, test } from 'vitest'
import { WorkerPool } from '../../src/cli/workers/worker-pool.ts'
import type { FromWorker, Job } from '../../src/cli/workers/worker-messages.ts'

const program = pathToFileURL(path.join(import.meta.dirname, 'dying-worker.mjs'))
const job = (scenarioText: string, id: number): Job => ({ id, scenarioText, wants: 'summary' })

async function endings(size: number, ...texts: string[]): Promise<string[]> {
  const messages: FromWorker[] = []
  await new WorkerPool({ size, program, onMessage: (message) => messages.push(message) }).run(texts.map(job))
  const sorted = messages.toSorted((a, b) => a.id - b.id)
  return sorted.map((message) => (message.type === 'failed' ? message.message : message.type))
}

test('a worker that dies fails its own job and no other', async () => {
  expect(await endings(2, 'a', 'exit', 'b', 'throw', 'c', 'd')).toEqual([
    'a',
    'its worker died: exit code 3',
    'b',
    'its worker died: thrown in a worker',
    'c',
    'd',
  ])
})

test('the last job may die too', async () => {
  expect(await endings(1, 'a', 'exit')).toEqual(['a', 'its worker died: exit code 3'])
  expect(await endings(4, 'exit', 'exit')).toEqual(['its worker died: exit code 3', 'its worker died: exit code 3'])
})

test('a pool without jobs resolves at once', async () => {
  expect(await endings(3)).toEqual([])
})

test('a stopped pool resolves with the jobs that have ended', async () => {
  const messages: FromWorker[] = []
  const pool = new WorkerPool({
    size: 1,
    program,
    onMessage: (message) => {
      messages.push(message)
      if (messages.length === 2) pool.stop()
    },
  })
  await pool.run(['a', 'b', 'c', 'd'].map(job))
  expect(messages).toHaveLength(2)
})

test('an error thrown by onMessage ends the pool and reaches the caller', async () => {
  const onMessage = (): void => {
    throw new Error('the disk is full')
  }
  await expect(new WorkerPool({ size: 2, program, onMessage }).run(['a', 'b', 'c'].map(job))).rejects.toThrow('disk')
})
