// Prints what w3gjs reads in each replay named, a JSON object a line.
const W3GReplay = require("w3gjs").default;

const number = (hex) => Buffer.from(hex, "hex").readUInt32LE(0);

async function read(file) {
  const replay = new W3GReplay();
  const out = { turns: 0, ms: 0, blocks: 0, actions: 0, leaves: [] };
  replay.on("gamedatablock", (block) => {
    if (block.id === 0x17) {
      out.leaves.push({ pid: block.playerId, reason: number(block.reason), result: number(block.result) });
    }
    if (block.id !== 0x1f) return;
    out.turns++;
    out.ms += block.timeIncrement;
    for (const command of block.commandBlocks) {
      out.blocks++;
      out.actions += command.actions.length;
    }
  });
  const r = await replay.parse(file);
  out.version = r.version;
  out.duration = r.duration;
  out.game = r.gamename;
  out.map = r.map.path;
  out.sha1 = r.map.checksumSha1;
  out.players = r.players.map((p) => ({ pid: p.id, name: p.name, team: p.teamid }));
  out.observers = r.observers;
  out.chat = r.chat.map((c) => ({ name: c.playerName, text: c.message, mode: c.mode, ms: c.timeMS }));
  return out;
}

(async () => {
  for (const file of process.argv.slice(2)) console.log(JSON.stringify(await read(file)));
})();
