// Asks the official SDK about session files and writes down its answers.
//
//     node testdata/sessions/answers.mjs target/cli/<package version>
//
// The library is every `sessions/` folder of the recordings, one config folder each, plus `made/`
// beside this script. Texts of messages and lines are kept as length and FNV-1a hash.
import { cpSync, mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync, existsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const packageDir = resolve(process.argv[2])
const sdk = await import(pathToFileURL(join(packageDir, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs')))
const version = JSON.parse(readFileSync(join(packageDir, 'node_modules/@anthropic-ai/claude-agent-sdk/package.json'))).version
const MODIFIED = new Date('2026-01-02T03:04:05.678Z')

function digest(text) {
  let hash = 0xcbf29ce484222325n
  const bytes = Buffer.from(text, 'utf8')
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return `${bytes.length}:${hash.toString(16).padStart(16, '0')}`
}

function walk(dir, found = []) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) walk(path, found)
    else found.push(path)
  }
  return found
}

const short = (message) => ({ ...message, message: message.message === undefined ? undefined : digest(JSON.stringify(message.message)) })

// New uuids and times are random: number them in the order in which they appear.
function forkLines(text, newId, started) {
  const seen = new Map()
  return text.trimEnd().split('\n').map((line) => {
    const entry = JSON.parse(line)
    const own = line
      .replaceAll(newId, 'NEW')
      .replace(/"(?:uuid|parentUuid|logicalParentUuid|source_uuid|headUuid|anchorUuid|tailUuid)":"([0-9a-f-]{36})"/g, (all, uuid) => all.replace(uuid, number(uuid)))
      .replace(/"(?:uuids|allUuids|nameOnlyAnnouncements)":\[[^\]]*\]/g, (all) => all.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, number))
      .replace(/"(?:timestamp|ts)":"([^"]*)"/g, (all, time) => (Date.parse(time) >= started && Date.parse(time) <= Date.now() ? all.replace(time, 'NOW') : all))
    return `${entry.type} ${digest(own)}`
  })
  function number(uuid) {
    if (!seen.has(uuid)) seen.set(uuid, `u${seen.size}`)
    return seen.get(uuid)
  }
}

async function answersFor(sessions) {
  const config = mkdtempSync(join(tmpdir(), 'claw-sessions-'))
  process.env.CLAUDE_CONFIG_DIR = config
  cpSync(sessions, join(config, 'projects'), { recursive: true })
  for (const path of walk(config)) utimesSync(path, MODIFIED, MODIFIED)
  const answer = { list: await sdk.listSessions(), typed: (await sdk.listSessions({ includeProgrammatic: false })).map((info) => info.sessionId), sessions: {} }
  const ids = walk(join(config, 'projects'))
    .map((path) => path.match(/projects\/[^/]+\/([0-9a-f-]{36})\.jsonl$/)?.[1])
    .filter(Boolean)
    .sort()
  for (const id of ids) {
    const all = await sdk.getSessionMessages(id, { includeSystemMessages: true })
    const messages = await sdk.getSessionMessages(id)
    const agents = {}
    for (const agent of (await sdk.listSubagents(id)).sort()) agents[agent] = (await sdk.getSubagentMessages(id, agent)).map(short)
    answer.sessions[id] = {
      info: (await sdk.getSessionInfo(id)) ?? null,
      messages: messages.map(short),
      with_system: all.map((message) => message.uuid),
      agents,
      fork: await fork(config, id, {}),
      forks: {},
    }
    for (const message of all) answer.sessions[id].forks[message.uuid] = await fork(config, id, { upToMessageId: message.uuid })
  }
  rmSync(config, { recursive: true })
  return answer
}

async function fork(config, id, options) {
  const started = Date.now()
  try {
    const { sessionId } = await sdk.forkSession(id, options)
    const path = walk(join(config, 'projects')).find((path) => path.endsWith(`${sessionId}.jsonl`))
    const text = readFileSync(path, 'utf8')
    if ((statSync(path).mode & 0o777) !== 0o600) throw new Error('the mode of forks has changed')
    rmSync(path)
    const lines = forkLines(text, sessionId, started)
    // A cut is told by its last lines and how many there are; the whole copy by every line.
    return options.upToMessageId ? `${lines.length} ${digest(lines.join('\n'))}` : { title: JSON.parse(text.trimEnd().split('\n').at(-1)).customTitle, lines }
  } catch (error) {
    return { error: String(error.message).replace(id, 'ID').replace(options.upToMessageId ?? '\0', 'UUID') }
  }
}

const recordings = join(here, '../cli')
const answers = {}
for (const cli of readdirSync(recordings).filter((name) => /^\d/.test(name))) {
  for (const scenario of readdirSync(join(recordings, cli)).sort()) {
    const sessions = join(recordings, cli, scenario, 'sessions')
    if (existsSync(sessions)) answers[`cli/${cli}/${scenario}`] = await answersFor(sessions)
  }
}
const made = join(here, 'made')
if (existsSync(made)) for (const name of readdirSync(made).sort()) answers[`sessions/made/${name}`] = await answersFor(join(made, name))
// What each change leaves on disk, for titles and tags that need care.
async function edits() {
  const config = mkdtempSync(join(tmpdir(), 'claw-sessions-'))
  process.env.CLAUDE_CONFIG_DIR = config
  const id = '00000000-0000-4000-8000-00000000000a'
  const path = join(config, 'projects/-p', `${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const line = '{"type":"user"}\n'
  const appended = async (change) => {
    writeFileSync(path, line)
    try {
      await change()
    } catch (error) {
      return null
    }
    return readFileSync(path, 'utf8').slice(line.length)
  }
  const texts = ['plain', '  My "title" \u{1f980}\ufeff ', '\ufb01x', 'e\u0301', 'zero\u200bwidth', '\ue000private', '\u200b', ' \n', '\u0085next', 'a\tb\u0001c\u2028d', '\u{1f468}\u200d\u{1f469}', '\uff21\u00bd', '\u00ad', '\ufdd0x', '\u{e0041}tag']
  const rename = {}
  const tag = {}
  for (const text of texts) {
    rename[text] = await appended(() => sdk.renameSession(id, text))
    tag[text] = await appended(() => sdk.tagSession(id, text))
  }
  const untag = await appended(() => sdk.tagSession(id, null))
  await sdk.archiveSession(id)
  const mark = join(config, 'projects/-p', id, 'archived.json')
  const archived = [readFileSync(mark, 'utf8').replace(/"20[^"]*Z"/, '"NOW"'), (statSync(mark).mode & 0o777).toString(8), (statSync(dirname(mark)).mode & 0o777).toString(8)]
  await sdk.unarchiveSession(id)
  const unarchived = readFileSync(mark, 'utf8').replace(/"20[^"]*Z"/, '"NOW"')
  await sdk.deleteSession(id)
  const left = walk(config).length
  rmSync(config, { recursive: true })
  return { rename, tag, untag, archived, unarchived, left }
}

mkdirSync(here, { recursive: true })
writeFileSync(join(here, 'answers.json'), JSON.stringify({ package: version, edits: await edits(), answers }, null, 1) + '\n')
console.log(`${Object.keys(answers).length} libraries`)
