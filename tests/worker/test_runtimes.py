"""What the runtimes of bots do is possible in the sandbox: processes, threads, timers, pipes, their
own sockets and files. A runtime that this machine lacks is skipped."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.processes import module_command
from arena.worker.limits import SandboxLimits
from arena.worker.sandbox import HostedProgram
from tests.littered import littered
from tests.worker.confining import outcome
from tests.worker.conftest import MakeProgram

pytestmark = pytest.mark.timeout(300)

PYTHON = """
import asyncio, concurrent.futures, multiprocessing, shutil, sqlite3, subprocess, tempfile
import grpc, numpy

async def children():
    child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    return (await child.communicate(b"said"))[0]

assert (numpy.eye(300) @ numpy.eye(300)).sum() == 300
assert subprocess.run(["echo", "said"], capture_output=True).stdout == b"said\\n"
assert asyncio.run(children()) == b"said"
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
with sqlite3.connect("/tmp/tables.db") as tables:
    tables.execute("CREATE TABLE moves (state TEXT)")
shutil.copytree("/bot", "/tmp/copy")
tempfile.TemporaryFile().write(b"said")
server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
server.add_insecure_port("unix:/tmp/own.sock")
server.start()
with grpc.insecure_channel("unix:/tmp/own.sock") as channel:
    grpc.channel_ready_future(channel).result(10)
server.stop(0)
print("done")
"""
SHELL = """
set -e
cp -a main.sh /tmp/copy; mkfifo /tmp/pipe; (echo said > /tmp/pipe &); read -r said < /tmp/pipe
test "$(sort main.sh | tr a-z A-Z | wc -l)" -gt 1; find /bot -name '*.sh' | xargs grep -q said
perl -e 'use Fcntl; open(F, ">", "/tmp/own"); flock(F, 2) || die; print `echo $$` ? "" : die'
timeout 5 sleep 0.01; ls -la /tmp > /dev/null; echo done
"""
NODE = """
const { execSync } = require("child_process"), fs = require("fs"), net = require("net");
const { Worker } = require("worker_threads"), crypto = require("crypto");
fs.copyFileSync("/bot/main.js", "/tmp/copy");
if (execSync("echo said").toString() !== "said\\n") throw new Error();
const said = [
  new Promise((on) => new Worker("1", { eval: true }).on("exit", on)),
  new Promise((on) => crypto.pbkdf2("a", "b", 1000, 32, "sha256", on)),
  new Promise((on) => {
    const server = net.createServer((line) => line.end("said")).listen("/tmp/own.sock", () =>
      net.connect("/tmp/own.sock").on("data", () => { server.close(); on(); }));
  }),
];
Promise.all(said).then(() => console.log("done"));
"""
JAVA = """
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Main {
    public static void main(String[] words) throws Exception {
        IntStream.range(0, 100_000).parallel().sum();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        pool.submit(() -> new java.security.SecureRandom().nextInt()).get();
        pool.shutdown();
        new ProcessBuilder("echo", "said").start().waitFor();
        Files.writeString(Path.of("/tmp/own"), "said");
        try (FileChannel file = FileChannel.open(Path.of("/tmp/own"), StandardOpenOption.WRITE)) {
            file.lock();
        }
        Selector.open().close();
        SocketChannel.open(java.net.StandardProtocolFamily.UNIX).close();
        System.gc();
        System.out.println("done");
    }
}
"""
GO = """
package main

import ("fmt"; "io"; "net"; "os"; "os/exec"; "sync"; "time")

func main() {
    var all sync.WaitGroup
    for i := 0; i < 50; i++ { all.Add(1); go func() { defer all.Done(); time.Sleep(1e6) }() }
    all.Wait()
    if _, e := exec.Command("echo", "said").Output(); e != nil { panic(e) }
    first, _ := net.Listen("unix", "/tmp/first.sock")
    second, _ := net.Listen("unix", "/tmp/second.sock")
    go func() {
        from, _ := first.Accept()
        to, _ := net.Dial("unix", "/tmp/second.sock")
        io.Copy(to, from)
        to.Close()
    }()
    go func() {
        line, _ := net.Dial("unix", "/tmp/first.sock")
        line.Write(make([]byte, 100000))
        line.Close()
    }()
    line, _ := second.Accept()
    got, _ := io.ReadAll(line)
    if e := os.WriteFile("/tmp/own", got, 0600); e != nil || len(got) != 100000 { panic(e) }
    if e := os.RemoveAll("/tmp/own"); e != nil { panic(e) }
    fmt.Println("done")
}
"""
RUST = """
use std::{fs, io::Read, io::Write, os::unix::net::*, process::Command, thread};

fn main() {
    let threads: Vec<_> = (0..8).map(|n| thread::spawn(move || n)).collect();
    threads.into_iter().for_each(|one| { one.join().unwrap(); });
    assert_eq!(Command::new("echo").arg("said").output().unwrap().stdout, b"said\\n");
    fs::write("/tmp/own", "said").unwrap();
    fs::copy("/tmp/own", "/tmp/copy").unwrap();
    let listener = UnixListener::bind("/tmp/own.sock").unwrap();
    thread::spawn(|| UnixStream::connect("/tmp/own.sock").unwrap().write_all(b"said").unwrap());
    let mut said = String::new();
    listener.accept().unwrap().0.read_to_string(&mut said).unwrap();
    println!("done");
}
"""
CPP = """
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <random>

int main() {
    std::random_device()();
    std::async(std::launch::async, [] { return 1; }).get();
    std::ofstream("/tmp/own") << "said";
    std::filesystem::copy_file("/tmp/own", "/tmp/copy");
    if (std::system("echo said | grep -q said") != 0) return 1;
    std::cout << "done" << std::endl;
}
"""
COMPILERS = {
    "java": (JAVA, "Main.java", "javac -d . Main.java", ("java", "-cp", "/bot", "Main")),
    "go": (GO, "main.go", "CGO_ENABLED=0 go build -o main main.go", ("./main",)),
    "rust": (RUST, "main.rs", "rustc -o main main.rs", ("./main",)),
    "cpp": (CPP, "main.cpp", "g++ -std=c++17 -pthread -o main main.cpp", ("./main",)),
    "node": (NODE, "main.js", "node --version", ("node", "main.js")),
    "python": (PYTHON, "main.py", "", ("python", "main.py")),
    "shell": (SHELL, "main.sh", "", ("sh", "main.sh")),
}


def built(language: str, folder: Path) -> HostedProgram:
    """The program in a language; skips where its compiler is missing."""
    text, name, compiler, command = COMPILERS[language]
    tool = compiler.removeprefix("CGO_ENABLED=0 ").split(" ")[0]
    if tool and shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    (folder / name).write_text(text)
    if compiler:
        subprocess.run(compiler, shell=True, check=True, cwd=folder)
    folder.chmod(0o755)
    return HostedProgram(folder, command)


@pytest.mark.parametrize("language", COMPILERS)
async def test_a_runtime_does_in_the_sandbox_what_bots_do(language: str, tmp_path: Path) -> None:
    said = await outcome(built(language, tmp_path), limits=SandboxLimits())
    assert said == ("", "done\n")


LINKED = """
import asyncio, sys
from pathlib import Path
from arena.worker.sandbox import HostedProgram
from tests.worker.confining import outcome

program = HostedProgram(Path(sys.argv[1]), [sys.executable, "bot.py"])
print(*asyncio.run(outcome(program)))
"""


def test_a_worker_whose_environment_is_behind_a_link_runs_programs(tmp_path: Path) -> None:
    environment, folder = tmp_path / "linked", tmp_path / "bot"
    environment.symlink_to(Path(sys.prefix).resolve())
    folder.mkdir()
    (folder / "bot.py").write_text("print('done')")
    folder.chmod(0o755)
    done = subprocess.run(
        [environment / "bin/python", "-c", LINKED, folder],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "done", done


@pytest.mark.parametrize(
    "command",
    [
        module_command("arena", "bridge", "--help"),
        module_command("arena.local.programs.python_file", "bot.py"),
    ],
    ids=["the bridge", "what runs a file"],
)
async def test_files_of_a_build_stand_in_for_no_module_of_ours(
    program: MakeProgram, command: list[str]
) -> None:
    build = program("import random\nprint('--process-per-match', random.random)", *command)
    littered(build.folder)
    _, said = await outcome(build, limits=SandboxLimits())
    assert "of the working directory" not in said
    assert "--process-per-match" in said
