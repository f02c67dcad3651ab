/**
 * Boot: hosts that boot over the network (PXE). Each asks the boot server, and when the request is complete there, the
 * server sends the image.
 * Source: [MS-Scale] section 3. Deviates: DHCP and TFTP are one request and one image, carried by the scenario's transport.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { count, duration, list, MB, NEVER_PS, size } from '../base/params.ts'
import { applyLabels, labelParams, sizeIssues } from './labels.ts'
import { defineWorkload, type Message, type Source, type Waiting } from './workload.ts'

export const boot = defineWorkload({
  name: 'boot',
  help: 'hosts that boot over the network: a request to the boot server, then the image from there',
  source: '[MS-Scale] section 3: PXE boot',
  params: {
    server: count({ default: 0, help: 'host that is the boot server' }),
    hosts: list(count({ help: 'host' }), { default: [1], minItems: 1, help: 'hosts that boot' }),
    request: size({
      default: 300,
      min: 1,
      help: 'bytes of the request',
      source: 'RFC 2131: a DHCP message of 300 bytes',
    }),
    image: size({ default: 1 * MB, min: 1, help: 'bytes of the image', source: 'own: a boot loader' }),
    start: duration({ default: 0, help: 'time of the requests' }),
    ...labelParams('boot'),
  },
  isClosed: () => true,
  create(values, { hostCount, generateUntilPs }) {
    const { server, hosts } = values
    const issues: Issue[] = [...sizeIssues('image', values, values.image)]
    const wrong = (path: string, expected: string, received: number): void => {
      issues.push({ path, expected, received: `${received}`, hint: '' })
    }
    if (server >= hostCount) wrong('server', `a host 0 to ${hostCount - 1}`, server)
    hosts.forEach((host, i) => {
      if (host >= hostCount || host === server)
        wrong(`hosts.${i}`, `a host 0 to ${hostCount - 1} other than the server`, host)
    })
    if (issues.length > 0) throw new InputError(issues)
    return new BootSource({ ...values, untilPs: generateUntilPs, label: (out) => applyLabels(out, values) })
  },
})

interface Plan {
  readonly server: number
  readonly hosts: readonly number[]
  readonly request: number
  readonly image: number
  readonly start: number
  readonly untilPs: number
  readonly label: (out: Message) => void
}

class BootSource implements Source {
  nextStartPs: number
  readonly #plan: Plan
  /** Hosts whose requests are still to come. */
  readonly #asking: number[]
  /** Hosts whose images are due. */
  readonly #due: number[] = []
  /** Host of each unfinished request, by message number. */
  readonly #requests = new Map<number, number>()
  #messageNumber = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#asking = [...plan.hosts]
    this.nextStartPs = plan.start < plan.untilPs ? plan.start : NEVER_PS
  }

  get leftBytes(): number {
    const { request, image } = this.#plan
    return this.#asking.length * (request + image) + (this.#due.length + this.#requests.size) * image
  }

  take(out: Message): void {
    const { server, request, image, label } = this.#plan
    label(out)
    out.startPs = this.nextStartPs
    out.connection = -1
    const host = this.#due.shift()
    if (host === undefined) {
      const asking = this.#asking.shift()!
      this.#requests.set(this.#messageNumber, asking)
      out.source = asking
      out.destination = server
      out.sizeBytes = request
    } else {
      out.source = server
      out.destination = host
      out.sizeBytes = image
    }
    this.#messageNumber++
    if (this.#due.length === 0 && this.#asking.length === 0) this.nextStartPs = NEVER_PS
  }

  onComplete(nowPs: number, messageNumber: number): void {
    const host = this.#requests.get(messageNumber)
    if (host === undefined) return
    this.#requests.delete(messageNumber)
    if (nowPs >= this.#plan.untilPs) return
    this.#due.push(host)
    this.nextStartPs = nowPs
  }

  waiting(nowPs: number): readonly Waiting[] {
    if (nowPs >= this.#plan.untilPs) return []
    return [...this.#requests.keys()].map((behind) => ({ behind, messages: 1 }))
  }
}
