// Transfers over shared links in SimGrid's C++ interface: simgrid FOLDER OUT.
// Prints CPU microseconds of a completion, and writes the time at which each ends, in the order of flows.csv.
#include <simgrid/s4u.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>
namespace sg = simgrid::s4u;

struct Transfer { double begin, size; int client, target; std::vector<int> links; };

static std::vector<std::vector<std::string>> rows(const std::string& path) {
  std::ifstream file(path);
  std::string line, cell;
  std::vector<std::vector<std::string>> found;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::stringstream cells(line);
    found.emplace_back();
    while (std::getline(cells, cell, ',')) found.back().push_back(cell);
  }
  return found;
}

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  for (const char* plain : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
                            "network/bandwidth-factor:1", "network/latency-factor:1"})
    sg::Engine::set_config(plain);
  std::string folder = argv[1];
  auto* zone = sg::create_star_zone("site");
  std::vector<sg::Link*> links;
  for (auto& row : rows(folder + "/resources.csv"))
    links.push_back(zone->create_link(row[1], std::stod(row[3]))->set_latency(0)->seal());
  std::vector<Transfer> transfers;
  std::map<int, sg::Host*> clients, targets;
  for (auto& row : rows(folder + "/flows.csv")) {
    Transfer found{std::stod(row[1]), std::stod(row[2]), std::stoi(row[3]), std::stoi(row[4]), {}};
    std::stringstream numbers(row[5]);
    for (int number; numbers >> number;) found.links.push_back(number);
    // The last link leads to the target, all others to the client.
    if (!clients.count(found.client)) {
      auto* host = clients[found.client] = zone->create_host("client" + row[3], 1e9)->seal();
      std::vector<sg::LinkInRoute> way;
      for (size_t i = 0; i + 1 < found.links.size(); i++) way.emplace_back(links[found.links[i]]);
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, way, false);
    }
    if (!targets.count(found.target)) {
      auto* host = targets[found.target] = zone->create_host("target" + row[4], 1e9)->seal();
      zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute(links[found.links.back()])}, false);
    }
    transfers.push_back(found);
  }
  auto* driver = zone->create_host("driver", 1e9)->seal();
  zone->seal();
  std::vector<sg::CommPtr> under_way(transfers.size());
  sg::Actor::create("driver", driver, [&] {
    for (size_t i = 0; i < transfers.size(); i++) {
      sg::this_actor::sleep_until(transfers[i].begin);
      under_way[i] = sg::Comm::sendto_init(clients[transfers[i].client], targets[transfers[i].target]);
      under_way[i]->set_payload_size(transfers[i].size);
      under_way[i]->start();
    }
    for (auto& one : under_way) one->wait();
  });
  std::clock_t began = std::clock();
  engine.run();
  std::printf("%.6f\n", double(std::clock() - began) / CLOCKS_PER_SEC / transfers.size() * 1e6);
  FILE* out = std::fopen(argv[2], "w");
  for (auto& one : under_way) std::fprintf(out, "%.17g\n", one->get_finish_time());
  std::fclose(out);
}
